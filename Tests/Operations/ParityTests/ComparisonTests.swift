import ParitySupport
import TestSupport

/// The comparison itself: what it lets through and what it tells.
@Suite("The comparison with a recording", .timeLimit(.minutes(3)))
struct ComparisonTests {
    private let golden: GoldenCase
    private let expectation: Expectation
    private var seen = Observation()

    init() throws {
        golden = try #require(GoldenCase.own.get().first { $0.id == "success-200" })
        expectation = try Expectation(golden, .asRecorded, changes: [])
        seen.events = expectation.items.map(\.event)
        seen.finals = expectation.finals
    }

    @Test
    func `a run that shows the recorded order agrees`() {
        #expect(seen.events.count == 8)
        #expect(expectation.mismatches(with: seen) == [])
    }

    @Test
    func `every recorded order of every scenario agrees with its own partial order`() throws {
        for golden in try GoldenCase.own.get() {
            let expectation = try Expectation(golden, .asRecorded, changes: [])
            let optional = expectation.items.count
            for order in golden.output.otherOrders {
                let known = Set(expectation.items.map(\.event))
                var seen = Observation()
                seen.finals = expectation.finals
                seen.extra = expectation.extra
                seen.connectionsCancelled = expectation.connectionsCancelled
                seen.events = order.events.map(Event.init(recorded:)).filter(known.contains)
                let lines = expectation.mismatches(with: seen).filter { $0.hasPrefix("Out") }
                #expect(lines == [], "\(golden.id), \(optional) events")
            }
        }
    }

    @Test
    func `a missing, an extra and a displaced event are named`() {
        var seen = seen
        let first = seen.events.removeFirst()
        #expect(expectation.mismatches(with: seen) == ["Missing: A.isReady 1>0 @opqueue"])
        seen.events.insert(first, at: 1)
        #expect(
            expectation.mismatches(with: seen) == [
                "Out of order: A.isReady 1>0 @opqueue must precede A.isExecuting 0>1 @opqueue"
            ])
        seen.events.swapAt(0, 1)
        seen.events.append(Event(operation: "A", what: "isFinished 0>1", thread: "main"))
        #expect(expectation.mismatches(with: seen) == ["Extra: A.isFinished 0>1 @main"])
    }

    @Test
    func `a final field that differs is named with both values`() {
        var seen = seen
        seen.finals["A"]?["statusCode"] = 404
        #expect(
            expectation.mismatches(with: seen) == [
                "A.statusCode is 404 and was recorded as 200."
            ])
    }

    @Test
    func `what the recordings call stable stays ordered in every scenario`() throws {
        for golden in try GoldenCase.own.get() where golden.output.final["A"] != nil {
            let expectation = try Expectation(golden, .asRecorded, changes: [])
            func place(_ what: String) -> Int? {
                expectation.items.lastIndex { $0.event.operation == "A" && $0.event.kind == what }
            }
            let pairs = [
                ("isReady 1>0", "isExecuting 0>1"), ("isExecuting 1>0", "isFinished 0>1"),
                ("isFinished 0>1", "finish notification"), ("isFinished 0>1", "completion"),
                ("downloadProgress", "finish notification"), ("downloadProgress", "completion"),
            ]
            for (first, second) in pairs {
                guard let before = place(first), let after = place(second) else { continue }
                let isStable = expectation.stable.contains { $0 == (before, after) }
                #expect(isStable, "\(golden.id): \(first) before \(second)")
            }
        }
    }

    @Test(
        arguments: DeliberateDifference.all.map(\.id))
    func `a listed difference allows its outcome, and refuses the recorded one and any other`(
        _ id: String
    ) throws {
        let golden = try #require(try GoldenCase.named(id) ?? GoldenCase.listed(id))
        let changes = DeliberateDifference.changes(of: id)
        let expectation = try Expectation(golden, .asRecorded, changes: changes)
        #expect(expectation.unmatched == [])
        let right = expectation.agreeing
        #expect(expectation.mismatches(with: right) == [])
        let old = try Expectation(golden, .asRecorded, changes: []).agreeing
        #expect(expectation.mismatches(with: old) != [], "\(id) may be as recorded")
        for change in changes {
            let others = changes.filter { $0 != change }
            let without = try Expectation(golden, .asRecorded, changes: others)
            #expect(without.mismatches(with: right) != [], "\(change) says nothing")
        }
        for place in right.events.indices {
            var wrong = right
            wrong.events.remove(at: place)
            #expect(expectation.mismatches(with: wrong) != [], "\(id) without event \(place)")
            wrong = right
            wrong.events[place].thread = "another"
            #expect(
                expectation.mismatches(with: wrong) != [], "\(id) with event \(place) elsewhere")
        }
        var wrong = right
        wrong.events.append(Event(operation: "A", what: "isFinished 0>1", thread: "main"))
        #expect(expectation.mismatches(with: wrong) != [])
        for (name, fields) in right.finals {
            for field in fields.keys {
                wrong = right
                wrong.finals[name]?[field] = "another value"
                #expect(expectation.mismatches(with: wrong) != [], "\(id) \(name).\(field)")
            }
        }
        for field in right.extra.keys {
            wrong = right
            wrong.extra[field] = "another value"
            #expect(expectation.mismatches(with: wrong) != [], "\(id) \(field)")
        }
    }
}

extension Expectation {
    /// A run that agrees with it.
    fileprivate var agreeing: Observation {
        var order = Array(items.indices)
        for (first, second) in stable {
            guard let before = order.firstIndex(of: first),
                let after = order.firstIndex(of: second),
                before > after
            else { continue }
            order.remove(at: before)
            order.insert(first, at: after)
        }
        return Observation(
            events: order.map { items[$0].event }, finals: finals, extra: extra,
            connectionsCancelled: connectionsCancelled)
    }
}
