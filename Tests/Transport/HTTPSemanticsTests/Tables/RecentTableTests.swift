import HTTPSemantics
import Testing

@Suite("Values in the order of their use", .timeLimit(.minutes(2)))
struct RecentTableTests {
    /// What a table should be: keys and values, the least recently used first.
    private struct Model {
        var limit = Int.max
        var entries: [(key: Int, value: Int)] = []

        mutating func apply(_ step: Step, _ value: Int) -> Int? {
            let place = entries.firstIndex { $0.key == step.key }
            let found = place.map { entries[$0].value }
            switch step.change {
            case .read: break
            case .use: if let place { entries.append(entries.remove(at: place)) }
            case .set:
                if let place { entries.remove(at: place) }
                entries.append((step.key, value))
            case .replace:
                if let place {
                    entries[place].value = value
                } else {
                    entries.append((step.key, value))
                }
            case .remove: if let place { entries.remove(at: place) }
            }
            if entries.count > limit { entries.removeFirst() }
            return found
        }
    }

    private enum Change: CaseIterable { case read, use, set, replace, remove }

    private struct Step {
        var change: Change
        var key: Int

        static func all(_ keys: Range<Int>) -> [Step] {
            keys.flatMap { key in Change.allCases.map { Step(change: $0, key: key) } }
        }
    }

    private struct Pair {
        var table: RecentTable<Int, Int>
        var model: Model

        init(limit: Int) {
            table = RecentTable(limit: limit)
            model = Model(limit: limit)
        }

        /// Whether table and model say the same, and hold the same in the same order.
        mutating func agrees(after step: Step, _ value: Int) -> Bool {
            let found = model.apply(step, value)
            switch step.change {
            case .read: guard table[step.key] == found else { return false }
            case .use: guard table.use(step.key) == found else { return false }
            case .set: table.set(value, for: step.key)
            case .replace: table[step.key] = value
            case .remove: guard table.remove(step.key) == found else { return false }
            }
            var next = table.first
            for (key, value) in model.entries {
                guard next == key, table[key] == value else { return false }
                next = table.key(after: key)
            }
            return next == nil && table.count == model.entries.count
                && Set(table.keys) == Set(model.entries.map(\.key))
        }
    }

    @Test(arguments: [1, 2, 3, .max])
    func `all short series of steps lead to what a list would have`(limit: Int) {
        let steps = Step.all(0..<3)
        var wrong: [[Step]] = []
        func go(_ pair: Pair, _ path: [Step]) {
            guard path.count < 4 else { return }
            for step in steps {
                var pair = pair
                if pair.agrees(after: step, path.count) {
                    go(pair, path + [step])
                } else {
                    wrong.append(path + [step])
                }
            }
        }
        go(Pair(limit: limit), [])
        #expect(wrong.isEmpty, "\(wrong.first ?? [])")
    }

    @Test(arguments: [5, .max])
    func `long series by chance do as well`(limit: Int) {
        var generator = SystemRandomNumberGenerator()
        let steps = Step.all(0..<12)
        var pair = Pair(limit: limit)
        var path: [Step] = []
        for number in 0..<20_000 {
            guard let step = steps.randomElement(using: &generator) else { return }
            path.append(step)
            guard pair.agrees(after: step, number) else {
                Issue.record("\(path.suffix(50))")
                return
            }
        }
    }

    @Test
    func `as many as the limit are kept, the latest used`() {
        var table = RecentTable<Int, Int>(limit: 10)
        for key in 0..<1_000 {
            table.set(key * 2, for: key)
            #expect(table.count <= 10)
            for latest in max(0, key - 9)...key { #expect(table.use(latest) == latest * 2) }
        }
        #expect(table.use(0) == nil)
    }

    @Test
    func `one that is asked for again and again stays, and one that was removed is gone`() {
        var table = RecentTable<Int, String>(limit: 4)
        table.set("kept", for: -1)
        for key in 0..<100 {
            table.set("other", for: key)
            #expect(table.use(-1) == "kept")
        }
        table.remove(-1)
        #expect(table.use(-1) == nil)
    }

    @Test
    func `removing a key through the subscript is removing it`() {
        var table = RecentTable<Int, String>()
        table[1] = "a"
        table[2] = "b"
        table[1] = nil
        #expect(table.first == 2 && table.count == 1 && table.key(after: 2) == nil)
    }

    @Test
    func `neither uses nor removals take longer where there are many`() {
        var table = RecentTable<Int, Int>()
        for key in 0..<200_000 { table.set(key, for: key) }
        let time = ContinuousClock().measure {
            for key in 0..<200_000 { table.use(key) }
            while let first = table.first { table.remove(first) }
        }
        #expect(table.count == 0 && time < .seconds(20))
    }
}
