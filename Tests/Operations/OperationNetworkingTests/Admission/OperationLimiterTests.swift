import CurlConnection
import HTTPSemantics
import Scheduling
import TestSupport

@testable import OperationNetworking

/// The limiter alone, with requests that are never sent.
@Suite("How a limiter finds who is next", .timeLimit(.minutes(2)))
struct OperationLimiterTests {
    private let limiter = OperationLimiter()
    private let turned = TurnableClock()

    init() {
        limiter.clock = turned.clock
    }

    private func ask(
        _ origin: Int, _ group: String? = nil, _ priority: TransferPriority = .normal
    ) -> Admission {
        let member = QueueMember(group: group, manager: 1)
        let url = URL(string: "http://h\(origin).invalid/")
        let admission = Admission(limiter, Admission.Needs(url, member), priority) {}
        _ = admission.ask()
        return admission
    }

    @Test func `with a network again each of many origins is looked at a few times`() {
        let count = 500
        limiter.setOffline(true, 1)
        let all = (0..<count).map { ask($0) }
        #expect(all.allSatisfy { $0.state == .waiting })
        let before = limiter.looks
        limiter.setOffline(false, 1)
        #expect(all.allSatisfy { $0.state == .admitted })
        #expect(limiter.looks - before <= 3 * count)
    }

    @Test func `each end in a group looks at a few of its origins, however many there are`() {
        let count = 500
        limiter.originLimit = 1
        limiter.setLimit(2, ofGroup: "g")
        var all = (0..<count).map { ask($0, "g") }
        // Their origin is full while the first runs.
        all += (0..<count).map { _ in ask(0, "g") }
        let before = limiter.looks
        for (number, admission) in all.enumerated() {
            #expect(admission.state == .admitted, "\(number)")
            admission.leave()
        }
        #expect(limiter.looks - before <= 20 * all.count)
    }

    @Test func `over the origins of a group the highest goes first, then the oldest`() {
        limiter.ageing = 1_000
        limiter.setLimit(1, ofGroup: "g")
        let first = ask(0, "g")
        let waiting: [(Int, TransferPriority)] = [
            (1, .low), (2, .normal), (3, .high), (4, .normal), (2, .high), (1, .veryHigh),
        ]
        let all = waiting.map { origin, priority in
            turned.turn(by: 1)
            return ask(origin, "g", priority)
        }
        first.leave()
        for index in [5, 2, 4, 1, 3, 0] {
            #expect(all[index].state == .admitted, "\(index)")
            all[index].leave()
        }
    }

    @Test func `what is withdrawn leaves its place to the next, and asks again behind it`() {
        limiter.originLimit = 1
        let (first, second, third) = (ask(0), ask(0), ask(0))
        second.withdraw()
        first.withdraw()
        #expect(first.state == .notReady && second.state == .notReady)
        #expect(third.state == .admitted)
        #expect(!second.ask() && !first.ask())
        // Twice more in the line, and in its place once.
        second.withdraw()
        #expect(!second.ask())
        third.leave()
        #expect(first.state == .admitted && second.state == .waiting)
        first.leave()
        #expect(second.mayStart)
        second.leave()
    }

    @Test func `what has begun keeps its place, also one that got none before`() {
        limiter.originLimit = 1
        let (first, second, third) = (ask(0), ask(0), ask(0))
        first.begin()
        first.withdraw()
        #expect(first.state == .begun && second.state == .waiting)
        second.begin()
        first.leave()
        #expect(third.state == .waiting)
        second.leave()
        #expect(third.state == .admitted)
        third.leave()
    }

    @Test func `once the managers are gone, what waits in a suspended group is cancelled`() async {
        let cancelled = Log<Int>()
        func ask(_ number: Int, _ group: String) -> Admission {
            let needs = Admission.Needs(
                URL(string: "http://h.invalid/"), QueueMember(group: group, manager: 1))
            let admission = Admission(
                limiter, needs, .normal, cancel: { cancelled.add(number) }, announce: {})
            _ = admission.ask()
            return admission
        }
        limiter.originLimit = 1
        limiter.setSuspended(true, "s")
        let all = [ask(0, "s"), ask(1, "s"), ask(2, "open"), ask(3, "open")]
        limiter.close()
        #expect(await cancelled.reaches(2))
        #expect(all[2].state == .admitted && all[3].state == .waiting && !all[0].mayStart)
        let late = ask(4, "s")
        #expect(await cancelled.reaches(3))
        #expect(cancelled.all == [0, 1, 4] && !late.mayStart)
        for admission in all + [late] { admission.leave() }
    }

    /// Any order of what can happen, against a plain count.
    @Test(arguments: 0..<20)
    func `nobody waits who may start, and no limit is passed`(seed: Int) {
        var numbers = SeededNumbers(seed: UInt64(seed))
        var there: [Admission] = []
        let groups = ["a", "b", nil]
        for _ in 0..<400 {
            switch Int.random(in: 0..<20, using: &numbers) {
            case 0: limiter.originLimit = [nil, 1, 2, 3][Int.random(in: 0..<4, using: &numbers)]
            case 1:
                limiter.setLimit(
                    [nil, 1, 2, 4][Int.random(in: 0..<4, using: &numbers)],
                    ofGroup: Bool.random(using: &numbers) ? "a" : "b")
            case 2: limiter.setSuspended(Bool.random(using: &numbers), "a")
            case 3: limiter.setOffline(Bool.random(using: &numbers), 1)
            case 13 where !there.isEmpty:
                let admission = there[Int.random(in: 0..<there.count, using: &numbers)]
                admission.withdraw()
                if Bool.random(using: &numbers) { _ = admission.ask() }
            case 4..<12 where !there.isEmpty:
                let index = Int.random(in: 0..<there.count, using: &numbers)
                there.remove(at: index).leave()
            default:
                turned.turn(by: 0.5)
                let priority = TransferPriority.allCases.randomElement(using: &numbers)
                there.append(
                    ask(
                        Int.random(in: 0..<5, using: &numbers),
                        groups[Int.random(in: 0..<3, using: &numbers)], priority ?? .normal))
            }
            check(there)
        }
        for admission in there { admission.leave() }
        limiter.setOffline(false, 1)
        limiter.setLimit(nil, ofGroup: "a")
        limiter.setLimit(nil, ofGroup: "b")
        limiter.setSuspended(false, "a")
        #expect(limiter.resourceCount == 0)
    }

    private func check(_ there: [Admission]) {
        let running = there.filter { $0.state == .admitted }
        let ofOrigin = Dictionary(grouping: running, by: \.needs.origin).mapValues(\.count)
        let ofGroup = Dictionary(grouping: running, by: \.needs.group).mapValues(\.count)
        for admission in there where admission.state == .waiting {
            let isOriginFull = ofOrigin[admission.needs.origin] ?? 0 >= limiter.originLimit ?? .max
            let isGroupFull = admission.needs.group.map { group in
                limiter.isSuspended(group)
                    || ofGroup[group] ?? 0 >= limiter.limit(ofGroup: group) ?? .max
            }
            #expect(limiter.isOffline(1) || isOriginFull || isGroupFull == true)
        }
    }
}
