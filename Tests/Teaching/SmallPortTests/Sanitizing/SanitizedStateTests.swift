import SmallPort7Cancel
import TestSupport

/// What `make sanitize` looks at: it fails where the thread sanitizer reports one of the states.
///
/// What the sanitizer is to report runs in a process of its own, and only where there is a sanitizer.
@Suite("The small port under the thread sanitizer", .serialized, .timeLimit(.minutes(10)))
struct SanitizedStateTests {
    private static let isSanitized = dlsym(nil, "__tsan_init") != nil

    @Test func `threads and loops before there are operations`() async throws {
        let (first, second) = try await meet(StateMeetings.fetch)
        #expect(first.count == 60 && second.count == 60)
        let areWhole = (first + second).allSatisfy { $0 == StateMeetings.body }
        #expect(areWhole)
        let counted = await onNewThread { StateMeetings.handOver() }
        #expect(counted == 120)
    }

    @Test func `operations that a queue alone starts`() async throws {
        for state in [StateMeetings.state4, StateMeetings.state5] {
            let bodies = try await meet(state)
            let areWhole = bodies.allSatisfy { $0 == StateMeetings.body }
            #expect(bodies.count == 60 && areWhole)
        }
    }

    @Test func `operations that two threads start`() async throws {
        let bodies = try await meet(StateMeetings.state6)
        let areWhole = bodies.allSatisfy { $0 == StateMeetings.body }
        #expect(bodies.count == 60 && areWhole)
    }

    @Test func `operations that others start and cancel`() async throws {
        for state in [StateMeetings.state7, StateMeetings.state8] {
            let bodies = try await meet(state)
            let areWhole = bodies.allSatisfy { $0 == nil || $0 == StateMeetings.body }
            let ended = bodies.count { $0 != nil }
            #expect(bodies.count == 60 && areWhole && ended >= 30)
        }
    }

    /// Each access is in order, and the whole is wrong: no race detector can see that.
    @Test func `two starts without a lock are two requests, and nothing is reported`() async {
        let isLost = await onNewThread { Result { try StateMeetings.isStartedTwiceWithoutLock() } }
        #expect((try? isLost.get()) == true)
    }

    @Test(.enabled(if: Self.isSanitized, "There is no thread sanitizer."))
    func `a state that is not atomic is reported`() async {
        let report = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let state = PlainState()
            let reader = RaceThread { _ = becomes { state.isFinished } }
            state.finish()
            _ = reader.ends()
        }
        let text = String(decoding: report?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("ThreadSanitizer: data race"), "\(text)")
    }

    @Test(.enabled(if: Self.isSanitized, "There is no thread sanitizer."))
    func `a cancel that closes connections on its own thread is reported`() async {
        let report = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let server = LoopbackServer(routes: Routes())
            server.add("/held") { _ in .text("held").after(.wait(gate: "held")) }
            try server.start()
            let operation = URLOperation(
                server.url("/held"), on: NetworkThread(), mistake: .cancelHere)
            operation.start()
            _ = server.waitUntilReached("held", count: 1, timeout: patience)
            operation.cancel()
            _ = becomes { operation.isFinished }
        }
        let text = String(decoding: report?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("ThreadSanitizer: data race"), "\(text)")
    }

    /// On a thread of its own, which it may block.
    private func meet<Seen: Sendable>(
        _ state: @escaping @Sendable (URL) -> Seen
    ) async throws -> Seen {
        try await onNewThread { Result { try StateMeetings.withServer(state) } }.get()
    }
}

/// What the small port's states were before: written under a lock, and read without it.
private final class PlainState: @unchecked Sendable {
    // @unchecked, and not rightly so: this is what the sanitizer is to report.
    private let lock = NSLock()
    private var state = 0

    var isFinished: Bool { state == 2 }

    func finish() {
        for next in 1...2 { lock.withLock { state = next } }
    }
}
