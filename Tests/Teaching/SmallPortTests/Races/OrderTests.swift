import CurlConnection
import EventRecorder
import OperationNetworking
import TestSupport

/// The package's operations, whose threads pass the recorder's sites one at a time.
///
/// The answer waits at a gate that stays closed: what comes from a socket has no order.
@Suite("Orders of the threads of an operation", .serialized, .timeLimit(.minutes(10)))
struct OrderTests {
    /// How many seeds are tried, and replayed; `ORDERS=200` is the long form.
    private static let count = UInt64(ProcessInfo.processInfo.environment["ORDERS"] ?? "") ?? 20
    private static let isAlone = ProcessInfo.processInfo.environment["ORDERS"] != nil
    private static let thread = NetworkThread(name: "ordered")

    private struct Outcome {
        var run: StopPoints.Run
        var ends: Int
        var isCancelled: Bool
    }

    /// Starts, cancels and reads an operation on three threads, and the network thread takes part.
    private func order(
        _ run: (StopPoints, [StopSite], [String: @Sendable () -> Void]) -> StopPoints.Run
    ) throws -> Outcome {
        let ends = Locked(0)
        var outcome: Outcome?
        _ = try withRace { server, points in
            server.add("/held") { _ in ScriptedResponse([.wait(gate: "never")]) }
            let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/held")))
            operation.networkThread = Self.thread
            operation.completionQueue = DispatchQueue(label: "completion")
            operation.configuration.responseCache = nil
            operation.setCompletionBlock { _, _ in
                ends.withLock { $0 += 1 }
            } failure: { _, _ in
                ends.withLock { $0 += 1 }
            }
            points.name(operation.number, "it")
            // From now on its sleep is recorded.
            Self.thread.perform(inModes: [.common]) {}
            let sites = [.lockWait, .lockHold, .operationState, .delegateCall].map { kind in
                StopSite(kind, of: operation.number)
            }
            let result = run(
                points, sites,
                [
                    "starter": { operation.start() },
                    "canceller": { operation.cancel() },
                    "reader": { _ = (operation.error, operation.response, operation.description) },
                ])
            _ = becomes { operation.isFinished && ends.withLock { $0 } > 0 }
            operation.completionQueue?.sync {}
            outcome = Outcome(
                run: result, ends: ends.withLock { $0 },
                isCancelled: (operation.error as? URLError)?.code == .cancelled)
            return true
        }
        return try #require(outcome)
    }

    @Test func `in whatever order its threads go, an operation ends once, and cancelled`() throws {
        var orders: Set<[String]> = []
        for seed in 0..<Self.count {
            let outcome = try order { $0.run(seed: seed, at: $1, with: ["ordered"], $2) }
            #expect(outcome.run.isComplete, "\(seed): \(outcome.run.steps)")
            #expect(outcome.ends == 1, "\(outcome.run.steps)")
            #expect(outcome.isCancelled, "\(outcome.run.steps)")
            orders.insert(outcome.run.steps)
        }
        #expect(orders.count > Self.count / 2)
    }

    @Test func `the order of an operation's threads replays from its list`() throws {
        for seed in 0..<Self.count {
            let first = try order { $0.run(seed: seed, at: $1, with: ["ordered"], $2) }
            let again = try order {
                $0.run(replaying: first.run.steps, at: $1, with: ["ordered"], $2)
            }
            #expect(again.run.isComplete && again.run.steps == first.run.steps, "seed \(seed)")
        }
    }

    /// When the network thread is called depends on the rest of the process too, so this is run in one of
    /// its own.
    @Test(.enabled(if: Self.isAlone, "ORDERS=20, in a process of its own"))
    func `the same seed makes the same order of an operation's threads`() throws {
        for seed in 0..<Self.count {
            let first = try order { $0.run(seed: seed, at: $1, with: ["ordered"], $2) }
            let same = try order { $0.run(seed: seed, at: $1, with: ["ordered"], $2) }
            #expect(same.run.steps == first.run.steps, "seed \(seed)")
        }
    }
}
