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

    /// `LIMITER_ORDERS=1000000` runs as many.
    private static let orders =
        ProcessInfo.processInfo.environment["LIMITER_ORDERS"].flatMap { Int($0) } ?? 200
    private static let ageing: UInt64 = 5

    private final class Model {
        var limiter = Slots(.rank, ageing: LimiterModelTests.ageing) { $0 == .bytes ? 10 : nil }
        var now: UInt64 = 0
        private(set) var waiters: [Waiter] = []
        private var count = 0
        private var limits: [Key: Int] = [.bytes: 10]
        private var suspended: Set<Key> = []

        func inUse(_ key: Key) -> Int {
            waiters.filter(\.isHeld).flatMap(\.needs).filter { $0.key == key }
                .reduce(0) { $0 + $1.weight }
        }

        private func isBlocked(_ needs: [Need]) -> Bool {
            needs.contains { need in
                let inUse = inUse(need.key)
                return suspended.contains(need.key)
                    || (inUse > 0 && inUse + need.weight > limits[need.key] ?? 1_000_000)
            }
        }

        private func isBefore(_ one: Waiter, _ other: Waiter) -> Bool {
            func rank(_ waiter: Waiter) -> Int {
                waiter.slot.priority.rank(risen: (now - waiter.since) / LimiterModelTests.ageing)
            }
            return (rank(other), one.since, one.number) < (rank(one), other.since, other.number)
        }

        /// Those that wait for the same keys.
        private func line(of waiter: Waiter) -> [Waiter] {
            waiters.filter { !$0.isHeld && $0.needs.map(\.key) == waiter.needs.map(\.key) }
        }

        /// Gives slots to the best that are first of their lines, and says who they are.
        private func admit() -> [Int] {
            var admitted: [Int] = []
            while true {
                let able = waiters.filter { waiter in
                    !waiter.isHeld && !isBlocked(waiter.needs)
                        && !line(of: waiter).contains { isBefore($0, waiter) }
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
            let all = needs.map { Slots.Need(limiter.lane(of: $0.key), weight: $0.weight) }
            let slot = limiter.ask(
                Slots.Needs(
                    all[0], all.count > 1 ? all[1] : nil, all.count > 2 ? all[2] : nil,
                    all.count > 3 ? all[3] : nil),
                priority, count, at: now)
            let waiter = Waiter(
                slot: slot, needs: needs, since: now, number: count, isHeld: false)
            let mayGo = line(of: waiter).isEmpty && !isBlocked(needs)
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
            expect(limiter.setSuspended(isSuspended, limiter.lane(of: key), at: now))
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
            #expect(limiter.laneCount == 0)
        }
    }

    private func needs(_ numbers: inout SeededNumbers) -> [Need] {
        if Int.random(in: 0..<6, using: &numbers) == 0 {
            return [Need(key: .bytes, weight: Int.random(in: 1...12, using: &numbers))]
        }
        var needs: [Need] = []
        if Bool.random(using: &numbers) { needs.append(Need(key: .network, weight: 0)) }
        if Bool.random(using: &numbers) {
            needs.append(Need(key: .group(Int.random(in: 0..<2, using: &numbers))))
        }
        needs.append(Need(key: .origin(Int.random(in: 0..<4, using: &numbers))))
        if Bool.random(using: &numbers) { needs.append(Need(key: .all)) }
        return needs
    }

    @Test func `whoever has a slot is who should have it, in that order, after each step`() {
        for seed in 1...Self.orders {
            var numbers = SeededNumbers(seed: UInt64(seed))
            let model = Model()
            for _ in 0..<60 {
                model.now += UInt64.random(in: 1...3, using: &numbers)
                switch Int.random(in: 0..<10, using: &numbers) {
                case 0..<5:
                    let priority = TransferPriority.allCases.randomElement(using: &numbers)
                    let needs = needs(&numbers)
                    // With different weights in one line a first may fit that has risen there by age alone.
                    model.ask(
                        needs, needs[0].key == .bytes ? .normal : priority ?? .normal)
                case 5..<8:
                    guard let index = model.waiters.indices.randomElement(using: &numbers) else {
                        continue
                    }
                    model.leave(index)
                case 8:
                    let keys = [Key.group(0), .group(1), .origin(0), .origin(1), .all]
                    let limits = [nil, 1, 2, 3]
                    model.setLimit(
                        limits[Int.random(in: 0..<4, using: &numbers)],
                        of: keys[Int.random(in: 0..<5, using: &numbers)])
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
