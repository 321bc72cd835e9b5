import Foundation
import Testing

@testable import EventRecorder

@Suite("What waits for what", .timeLimit(.minutes(1)))
struct WaitGraphTests {
    private static let second: UInt64 = 1_000_000_000

    /// Events a second apart, on threads that sleep unless they are named as busy.
    private func stalls(
        _ events: [Event], at now: UInt64 = 10, busy: Set<UInt32> = []
    ) -> [Stall] {
        var state = WaitState()
        for (index, event) in events.enumerated() {
            var event = event
            event.time = UInt64(index + 1) * Self.second / 100
            state.note(event)
        }
        return WaitGraph(state, at: now * Self.second, limit: Self.second) {
            busy.contains($0) ? .running : .asleep
        }.stalls
    }

    private func event(
        _ kind: Event.Kind, _ phase: Event.Phase, of subject: UInt64 = 0, _ text: String = "",
        on thread: UInt32
    ) -> Event {
        Event(
            time: 0, subject: subject, text: text.isEmpty ? .none : EventText(text),
            thread: thread, kind: kind, phase: phase)
    }

    private func takes(_ lock: UInt64, _ thread: UInt32) -> Event {
        event(.lockHold, .begin, of: lock, on: thread)
    }

    private func wants(_ lock: UInt64, _ thread: UInt32) -> Event {
        event(.lockWait, .begin, of: lock, on: thread)
    }

    @Test func `two locks in two orders are a cycle of four`() throws {
        let found = stalls([takes(1, 7), takes(2, 8), wants(2, 7), wants(1, 8)])
        #expect(found.count == 1 && found[0].isCycle)
        #expect(
            found[0].members.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [
                .lock, .lock, .thread, .thread,
            ])
        #expect(found[0].description.hasPrefix("Deadlock: each waits for the next.\n"))
    }

    @Test func `a cycle is reported at once, a wait only beyond its limit`() {
        #expect(stalls([takes(1, 7), wants(1, 8)], at: 1).isEmpty)
        let found = stalls([takes(1, 7), takes(2, 8), wants(2, 7), wants(1, 8)], at: 1)
        #expect(found.map(\.isCycle) == [true])
    }

    @Test func `three locks are a cycle of six, and a thread that waits outside is no part of it`()
    {
        let found = stalls([
            takes(1, 7), takes(2, 8), takes(3, 9), wants(2, 7), wants(3, 8), wants(1, 9),
            wants(1, 6),
        ])
        #expect(found.contains { $0.isCycle && $0.members.count == 6 })
    }

    @Test func `no thread holds a lock that was unlocked`() {
        let events = [
            takes(1, 7), takes(1, 7), event(.lockHold, .end, of: 1, on: 7),
            event(.lockHold, .end, of: 1, on: 7), wants(1, 8),
            event(.lockWait, .end, of: 1, on: 8), takes(1, 8),
        ]
        #expect(stalls(events).isEmpty)
    }

    @Test func `a lock that is locked twice is unlocked twice`() {
        let events = [
            takes(1, 7), takes(1, 7), event(.lockHold, .end, of: 1, on: 7), wants(1, 8),
        ]
        let found = stalls(events)
        #expect(found.map(\.isCycle) == [false])
        #expect(found.first?.members.map(\.name) == ["thread 8", "of number 1", "thread 7"])
    }

    @Test func `a wait that is not late is none, nor that of a thread that works`() {
        #expect(stalls([takes(1, 7), wants(1, 8)], at: 1).isEmpty)
        let inside = [event(.callback, .begin, of: 3, "success", on: 7)]
        #expect(stalls(inside).count == 1)
        #expect(stalls(inside, busy: [7]).isEmpty)
        #expect(stalls(inside + [event(.callback, .end, of: 3, "success", on: 7)]).isEmpty)
    }

    @Test func `a run loop that sleeps is well, one that sleeps elsewhere holds up all of it`() {
        let sleeps = [event(.runLoopSleep, .begin, on: 7)]
        #expect(stalls(sleeps).isEmpty)
        let awake =
            sleeps + [
                event(.runLoopSleep, .end, on: 7),
                event(.runLoopSource, .instant, "sockets", on: 7),
            ]
        let found = stalls(awake)
        #expect(found.map { $0.members.map(\.kind) } == [[.thread]])
        #expect(found.first?.members.first?.place == "last seen at runLoopSource sockets")
        #expect(stalls(awake, busy: [7]).isEmpty)
    }

    @Test func `a queue whose block waits has those behind it waiting`() {
        let found = stalls([
            event(.queueSubmit, .instant, of: 1, "answers", on: 7),
            event(.queueRun, .begin, of: 1, "answers", on: 8),
            event(.operation, .begin, of: 5, "GET http://a/", on: 7),
            event(.callback, .begin, of: 5, "success", on: 8),
            event(.queueSubmit, .instant, of: 2, "answers", on: 7),
            event(.queueSubmit, .instant, of: 3, "answers", on: 7),
        ])
        #expect(found.count == 1)
        #expect(found.first?.members.map(\.name) == ["answers", "thread 8"])
        #expect(
            found.first?.members.map(\.place)
                == ["with 2 blocks behind", "in callback success of GET http://a/"])
    }

    @Test func `a running operation and one that has just ended have names after many others`() {
        let others = (100..<70_100 as Range<UInt64>).flatMap { number in
            [
                event(.operation, .begin, of: number, "GET http://b/", on: 7),
                event(.operation, .end, of: number, on: 7),
            ]
        }
        for ended in [5, 70_099] as [UInt64] {
            let found = stalls(
                [event(.operation, .begin, of: 5, "GET http://a/", on: 7)] + others
                    + [event(.callback, .begin, of: ended, "success", on: 8)], at: 10_000)
            #expect(
                found.first?.members.map(\.place)
                    == ["in callback success of GET http://\(ended == 5 ? "a" : "b")/"])
        }
    }

    @Test func `a block that is late by its own wish is no stall`() {
        #expect(stalls([event(.queueSubmit, .instant, of: 1, "later", on: 7)]).isEmpty)
    }

    // MARK: Foundation's queues

    @Test func `dependencies in a circle are named, others are not`() {
        let operations = (0..<4).map { number in
            let operation = BlockOperation {}
            operation.name = "operation \(number)"
            return operation
        }
        operations[0].addDependency(operations[1])
        operations[1].addDependency(operations[2])
        operations[2].addDependency(operations[0])
        operations[3].addDependency(operations[0])
        let queue = OperationQueue()
        // Those that can never begin stay where they are.
        queue.isSuspended = true
        queue.addOperations(operations, waitUntilFinished: false)
        var look = QueueLook([queue])
        let found = look.stalls(at: EventRecorder.now, limit: Self.second)
        #expect(found.count == 1 && found[0].isCycle)
        #expect(
            Set(found[0].members.map(\.name)) == ["operation 0", "operation 1", "operation 2"])
        operations[0].removeDependency(operations[1])
        #expect(look.stalls(at: EventRecorder.now, limit: 0).isEmpty)
    }

    @Test func `a circle of more dependencies than a stack has frames is found`() {
        let operations = (0..<20_000).map { _ in BlockOperation {} }
        for (operation, next) in zip(operations, operations.dropFirst()) {
            operation.addDependency(next)
        }
        operations[19_999].addDependency(operations[1])
        let queue = OperationQueue()
        queue.isSuspended = true
        queue.addOperation(operations[0])
        var look = QueueLook([queue])
        let found = look.stalls(at: EventRecorder.now, limit: Self.second)
        #expect(found.map(\.isCycle) == [true])
        #expect(found.map(\.members.count) == [19_999])
        operations[19_999].removeDependency(operations[1])
    }

    @Test func `a queue that is full of an operation that does not end is named after the limit`() {
        let gate = DispatchSemaphore(value: 0)
        let queue = OperationQueue()
        queue.name = "narrow"
        queue.maxConcurrentOperationCount = 1
        let first = BlockOperation { gate.wait() }
        first.name = "first"
        queue.addOperation(first)
        let second = BlockOperation {}
        second.name = "second"
        queue.addOperation(second)
        while !first.isExecuting { sched_yield() }
        var look = QueueLook([queue])
        #expect(look.stalls(at: 1, limit: Self.second).isEmpty)
        #expect(look.stalls(at: Self.second / 2, limit: Self.second).isEmpty)
        let found = look.stalls(at: 2 * Self.second, limit: Self.second)
        #expect(found.map { $0.members.map(\.name) } == [["second", "narrow"]])
        gate.signal()
        queue.waitUntilAllOperationsAreFinished()
        #expect(look.stalls(at: 9 * Self.second, limit: Self.second).isEmpty)
    }
}
