import HTTPSemantics
import ProcessUse
import TestSupport

@testable import CurlConnection

@Suite("Transfers that wait beside one that is under way", .timeLimit(.minutes(2)))
struct WaitingTransferTests {
    /// Runs a job at a moment after the one before, so many times.
    private final class Chain {
        private let transport: RunLoopTransport
        private var left: Int
        private let ended: () -> Void

        init(_ transport: RunLoopTransport, _ count: Int, _ ended: @escaping () -> Void) {
            (self.transport, left, self.ended) = (transport, count, ended)
        }

        func goOn() {
            left -= 1
            guard left > 0 else { return ended() }
            transport.later(at: transport.clock.nanoseconds + 100_000) { self.goOn() }
        }
    }

    /// This thread's, for plain loads.
    private static var transport: RunLoopTransport? {
        try? TransportTable.transport(for: TransportKey(modes: [.default]))
    }

    /// What two hundred moments cost the thread beside loads of which all but a few wait for a connection.
    private func work(beside count: Int) throws -> Int {
        var work = 0
        try withWorld { world in
            let others = (0..<count).map { _ in Recorder() }
            for other in others { world.thread.start(world.request("/gate/later"), other) }
            #expect(world.server.waitUntilReached("later"))
            world.thread.settle()
            let before = try #require(world.thread.sync { ProcessorTime.ofThisThread })
            let isDone = DispatchSemaphore(value: 0)
            let known = world.thread.sync { () -> Int in
                guard let transport = Self.transport else { return -1 }
                Chain(transport, 200) { isDone.signal() }.goOn()
                return transport.transfers.count
            }
            #expect(known == count)
            #expect(isDone.wait(timeout: .now() + 60) == .success)
            work = try #require(world.thread.sync { ProcessorTime.ofThisThread }) - before
            world.server.release("later")
        }
        return work
    }

    /// Loads that wait have no limit but one for the whole load.
    @Test func `of those without a limit none is looked at`() throws {
        try withWorld { world in
            let others = (0..<1_000).map { _ in Recorder() }
            for other in others { world.thread.start(world.request("/gate/later"), other) }
            #expect(world.server.waitUntilReached("later", count: 6))
            world.thread.settle()
            let counts = world.thread.sync {
                [Self.transport?.transfers.count, Self.transport?.due.count]
            }
            #expect(counts == [1_000, 6])
            world.server.release("later")
            for other in others { #expect(other.atEnd().error == nil) }
            world.thread.settle()
            #expect(world.thread.sync { Self.transport?.due.count } == 0)
        }
    }

    @Test func `those that are due are taken, in whatever order they were noted and left`() throws {
        try withWorld { world in
            let others = (0..<120).map { _ in Recorder() }
            for other in others { world.thread.start(world.request("/gate/later"), other) }
            #expect(world.server.waitUntilReached("later"))
            world.thread.settle()
            #expect(world.thread.sync { Self.differences(after: 5_000) } == [])
            world.server.release("later")
        }
    }

    /// Compares with a dictionary.
    private static func differences(after steps: Int) -> [String] {
        let waiting = transport?.transfers.values.filter { $0.dueIndex == nil } ?? []
        guard waiting.count > 100 else { return ["\(waiting.count) wait"] }
        var random = SeededNumbers(seed: 38)
        var due = DueTransfers()
        defer { due.removeAll() }
        var known: [ObjectIdentifier: UInt64] = [:]
        var differences: [String] = []
        for step in 0..<steps {
            let transfer = waiting[Int.random(in: 0..<waiting.count, using: &random)]
            let moment = UInt64.random(in: 0..<1_000, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let taken = due.take(at: moment / 4).map { ObjectIdentifier($0) }
                let expected = known.filter { $0.value <= moment / 4 }
                if Set(taken) != Set(expected.keys) || taken.count != expected.count
                    || taken.compactMap({ expected[$0] }) != expected.values.sorted()
                {
                    differences.append("taken in step \(step)")
                }
                for key in taken { known[key] = nil }
            case 1, 2:
                due.remove(transfer)
                known[ObjectIdentifier(transfer)] = nil
            default:
                due.note(transfer, at: moment)
                known[ObjectIdentifier(transfer)] = min(
                    known[ObjectIdentifier(transfer)] ?? .max, moment)
            }
            if due.next != known.values.min() || due.count != known.count {
                differences.append("after step \(step)")
            }
        }
        return differences
    }

    @Test func `a moment costs the same, however many wait`() throws {
        let (few, many) = (try work(beside: 10), try work(beside: 5_000))
        #expect(many < 5 * few + 50_000_000, "\(few) ns, \(many) ns")
    }
}
