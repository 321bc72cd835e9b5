import Foundation
import Scheduling
import TestSupport

/// Any order of what can happen, against a list that is looked through each time.
@Suite("A limiter against its model", .timeLimit(.minutes(10)))
struct LimiterModelTests {
    private enum Key: Hashable {
        case network, group(Int), origin(Int), all, bytes
    }

    private typealias Slots = Limiter<Key, Int>

    private struct Need {
        let key: Key
        var weight = 1
    }

    private struct Waiter {
        let slot: Slots.Slot
        let needs: [Need]
        let since: UInt64
        let number: Int
        var isHeld: Bool
    }

    /// `LIMITER_STEPS=1000000` runs as many.
    private static let steps =
        ProcessInfo.processInfo.environment["LIMITER_STEPS"].flatMap { Int($0) } ?? 12_000
    private static let stepsOfRun = 60
    private static let ageing: UInt64 = 5

    private final class Model {
        let isNewestFirst: Bool
        var limiter: Slots
        var now: UInt64 = 0
        private(set) var waiters: [Waiter] = []
        private var count = 0
        private var limits: [Key: Int] = [.bytes: 10]
        private var suspended: Set<Key> = []

        init(isNewestFirst: Bool) {
            self.isNewestFirst = isNewestFirst
            limiter = Slots(
                isNewestFirst ? .newest : .rank,
                ageing: isNewestFirst ? 0 : LimiterModelTests.ageing
            ) { $0 == .bytes ? 10 : nil }
        }

        func inUse(_ key: Key) -> Int {
            waiters.filter(\.isHeld).flatMap(\.needs).filter { $0.key == key }
                .reduce(0) { $0 + $1.weight }
        }

        private func isBlocked(_ needs: [Need]) -> Bool {
            needs.contains { need in
                let inUse = inUse(need.key)
                return suspended.contains(need.key)
                    || (need.weight > 0 && inUse > 0
                        && inUse + need.weight > limits[need.key] ?? 1_000_000)
            }
        }

        /// Whether it goes first of two with the same needs.
        private func isAhead(_ one: Waiter, of other: Waiter) -> Bool {
            guard isNewestFirst else { return isBefore(one, other) }
            return (other.slot.priority, other.number) < (one.slot.priority, one.number)
        }

        /// Whether it goes first of two that are each first among those with their needs.
        private func isBefore(_ one: Waiter, _ other: Waiter) -> Bool {
            if isNewestFirst { return other.number < one.number }
            func rank(_ waiter: Waiter) -> Int {
                waiter.slot.priority.rank(risen: (now - waiter.since) / LimiterModelTests.ageing)
            }
            return (rank(other), one.since, one.number) < (rank(one), other.since, other.number)
        }

        /// Those that wait for the same resources.
        private func queue(of waiter: Waiter) -> [Waiter] {
            waiters.filter { !$0.isHeld && $0.needs.map(\.key) == waiter.needs.map(\.key) }
        }

        /// Grants what can be granted to the heads of the queues, and returns their numbers.
        private func admit() -> [Int] {
            var admitted: [Int] = []
            while true {
                let able = waiters.filter { waiter in
                    !waiter.isHeld && !isBlocked(waiter.needs)
                        && !queue(of: waiter).contains { isAhead($0, of: waiter) }
                }
                guard let best = able.min(by: isBefore),
                    let index = waiters.firstIndex(where: { $0.slot === best.slot })
                else { return admitted }
                waiters[index].isHeld = true
                admitted.append(best.number)
            }
        }

        func ask(_ needs: [Need], _ priority: TransferPriority) {
            count += 1
            let all = needs.map { Slots.Need(limiter.resource(of: $0.key), weight: $0.weight) }
            let slot = limiter.ask(
                Slots.Needs(
                    all[0], all.count > 1 ? all[1] : nil, all.count > 2 ? all[2] : nil,
                    all.count > 3 ? all[3] : nil),
                priority, count, at: now)
            let waiter = Waiter(
                slot: slot, needs: needs, since: now, number: count, isHeld: false)
            let mayGo = queue(of: waiter).isEmpty && !isBlocked(needs)
            waiters.append(waiter)
            waiters[waiters.count - 1].isHeld = mayGo
            #expect(slot.isHeld == mayGo)
        }

        func leave(_ index: Int) {
            let slot = waiters.remove(at: index).slot
            expect(limiter.leave(slot, at: now))
        }

        func setLimit(_ limit: Int?, of key: Key) {
            limits[key] = limit
            expect(limiter.setLimit(limit, of: key, at: now))
        }

        func setSuspended(_ isSuspended: Bool, _ key: Key) {
            if isSuspended { suspended.insert(key) } else { suspended.remove(key) }
            expect(limiter.setSuspended(isSuspended, limiter.resource(of: key), at: now))
        }

        private func expect(_ admitted: [Slots.Slot]) {
            let model = admit()
            let found = admitted.compactMap(\.waiter)
            #expect(found == model)
            for waiter in waiters {
                #expect(waiter.slot.isHeld == waiter.isHeld)
                let isBlocked = !waiter.isHeld && isBlocked(waiter.needs)
                #expect((limiter.reason(of: waiter.slot) != nil) == isBlocked)
            }
        }

        func end() {
            while !waiters.isEmpty { leave(waiters.count - 1) }
            for key in [Key.network, .group(0), .group(1)] {
                setLimit(nil, of: key)
                setSuspended(false, key)
            }
            setLimit(nil, of: .bytes)
            setLimit(nil, of: .all)
            #expect(limiter.resourceCount == 0)
        }
    }

    /// Where the newest is first, all weights are equal: a newer one that fits where the last did not would be
    /// granted only when something is given back.
    private func needs(_ numbers: inout SeededNumbers, isNewestFirst: Bool) -> [Need] {
        if Int.random(in: 0..<6, using: &numbers) == 0 {
            let weight = Int.random(in: 1...12, using: &numbers)
            return [Need(key: .bytes, weight: isNewestFirst ? 4 : weight)]
        }
        var needs: [Need] = []
        let origin = Int.random(in: 0..<4, using: &numbers)
        if Bool.random(using: &numbers) {
            // Of two weights, and one alone in each queue.
            needs.append(Need(key: .network, weight: origin == 0 ? 1 : 0))
        }
        if Bool.random(using: &numbers) {
            needs.append(Need(key: .group(Int.random(in: 0..<2, using: &numbers))))
        }
        needs.append(Need(key: .origin(origin)))
        if Bool.random(using: &numbers) { needs.append(Need(key: .all)) }
        return needs
    }

    @Test(arguments: [false, true])
    func `what is granted is what the model grants, in that order, after each step`(
        isNewestFirst: Bool
    ) {
        for seed in 1...max(1, Self.steps / Self.stepsOfRun) {
            var numbers = SeededNumbers(seed: UInt64(seed))
            let model = Model(isNewestFirst: isNewestFirst)
            for _ in 0..<Self.stepsOfRun {
                model.now += UInt64.random(in: 1...3, using: &numbers)
                switch Int.random(in: 0..<10, using: &numbers) {
                case 0..<5:
                    let priority = TransferPriority.allCases.randomElement(using: &numbers)
                    let needs = needs(&numbers, isNewestFirst: isNewestFirst)
                    // With different weights in one queue a head may fit that is the head by its age alone.
                    model.ask(
                        needs, needs[0].key == .bytes ? .normal : priority ?? .normal)
                case 5..<8:
                    guard let index = model.waiters.indices.randomElement(using: &numbers) else {
                        continue
                    }
                    model.leave(index)
                case 8:
                    let keys = [Key.network, .group(0), .group(1), .origin(0), .origin(1), .all]
                    let limits = [nil, 1, 2, 3]
                    model.setLimit(
                        limits[Int.random(in: 0..<4, using: &numbers)],
                        of: keys[Int.random(in: 0..<6, using: &numbers)])
                default:
                    model.setSuspended(
                        Bool.random(using: &numbers),
                        Bool.random(using: &numbers) ? .network : .group(0))
                }
            }
            model.setLimit(nil, of: .origin(0))
            model.setLimit(nil, of: .origin(1))
            model.end()
        }
    }
}
