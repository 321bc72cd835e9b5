import TestSupport

@testable import OperationNetworking

@Suite("A result that a task waits for", .timeLimit(.minutes(1)))
struct AwaitedTests {
    private let awaited = Awaited<Int>()

    private func value(_ cancelled: Signal = Signal()) async throws -> Int {
        try await awaited.value(for: nil) {
            cancelled.fire()
        }
    }

    @Test func `a result that is there is returned, and the first counts`() async throws {
        awaited.give(.success(1))
        awaited.give(.success(2))
        #expect(try await value() == 1)
    }

    @Test func `a result that comes later is returned`() async throws {
        let started = Signal()
        let task = Task {
            try await awaited.value(for: nil) {
                started.fire()
            } cancelling: {
            }
        }
        await started.wait()
        awaited.give(.success(3))
        #expect(try await task.value == 3)
    }

    @Test func `a task that was cancelled before starts nothing`() async {
        let (gate, cancelled, started) = (Signal(), Signal(), Signal())
        let task = Task {
            await gate.wait()
            return try await awaited.value(for: nil) {
                started.fire()
            } cancelling: {
                cancelled.fire()
            }
        }
        task.cancel()
        gate.fire()
        await #expect(throws: URLError(.cancelled)) { try await task.value }
        #expect(started.count == 0 && cancelled.count == 1)
    }

    @Test func `a cancellation ends the wait, and no result does after it`() async {
        let (started, cancelled) = (Signal(), Signal())
        let task = Task {
            try await awaited.value(for: nil) {
                started.fire()
            } cancelling: {
                cancelled.fire()
            }
        }
        await started.wait()
        task.cancel()
        await #expect(throws: URLError(.cancelled)) { try await task.value }
        awaited.give(.success(4))
        #expect(cancelled.count == 1)
    }

    @Test func `a result that came before the cancellation is no value after it`() async {
        let gate = Signal()
        awaited.give(.success(5))
        let task = Task {
            await gate.wait()
            return try await value()
        }
        task.cancel()
        gate.fire()
        await #expect(throws: URLError(.cancelled)) { try await task.value }
    }

    /// A continuation that is resumed twice stops the process; one that is not hangs.
    @Test func `in 2,000 random orders of start, result and cancellation each wait ends once`()
        async
    {
        var random = SeededNumbers(seed: 26)
        for _ in 0..<2_000 {
            let awaited = Awaited<Int>()
            let order = [0, 1, 2].shuffled(using: &random)
            let task = Task { try await awaited.value(for: nil, cancelling: {}) }
            await withTaskGroup(of: Void.self) { group in
                for step in order {
                    group.addTask {
                        switch step {
                        case 0: awaited.give(.success(1))
                        case 1: task.cancel()
                        default: awaited.give(.failure(URLError(.timedOut)))
                        }
                    }
                }
            }
            _ = await task.result
        }
    }
}
