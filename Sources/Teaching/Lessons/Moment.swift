import Dispatch
import EventRecorder
import Foundation
import Locking
package import LoopbackServer

/// An event that happens once, and for which threads wait.
///
/// An experiment blocks a thread at one, and releases it when it has seen what other threads do.
///
/// ## Concurrency
/// Call from: any thread. Lock: none.
package final class Moment: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    /// Identifies it in a recording; 0 where nothing was recorded when it was made.
    let number: UInt64

    package convenience init() { self.init(number: 0) }

    init(number: UInt64) {
        self.number = number
    }

    package func signal() {
        semaphore.signal()
    }

    /// Waits for the event; false when it does not happen in time.
    package func wait(within seconds: Double = Patience.long) -> Bool {
        let hasCome = Patience.beats(within: seconds) { beat in
            semaphore.wait(timeout: .now() + beat) == .success
        }
        // Wakes the next thread that waits.
        if hasCome { semaphore.signal() }
        return hasCome
    }
}

/// How long an experiment waits, in seconds that become longer on a busy machine.
///
/// A second is fifty beats. In each beat another thread must have been woken and have answered, so
/// whatever needs a few such steps happens in time on any machine.
package enum Patience {
    /// For what must happen.
    package static let long = 10.0
    /// For what must not happen, and otherwise would happen in a small part of this time.
    package static let short = 0.3

    /// For what a reader's solution does or does not do.
    static let check = 3.0

    /// For what a variant does or does not do.
    package static func forWhat(happens: Bool) -> Double { happens ? long : short }

    /// Polls a condition; false when it does not become true in time.
    package static func until(within seconds: Double = long, _ isSo: () -> Bool) -> Bool {
        beats(within: seconds) { beat in
            let end = Date(timeIntervalSinceNow: beat)
            while !isSo() {
                if Date() > end { return false }
                usleep(500)
            }
            return true
        }
    }

    /// Calls `happens` for each beat; false when it never returned true.
    ///
    /// - Parameter happens: waits at most the seconds of a beat.
    fileprivate static func beats(
        within seconds: Double, _ happens: (_ beat: Double) -> Bool
    ) -> Bool {
        let beat = 0.02
        for _ in 0..<Int((seconds / beat).rounded(.up)) {
            if happens(beat) { return true }
            Answerer.shared.answer()
        }
        return happens(0)
    }
}

/// A thread that answers: on a machine where it is slow to answer, other threads are slow too.
///
/// ## Concurrency
/// Call from: any thread, which waits for the answer. Lock: one around the waiting threads.
private final class Answerer: Sendable {
    static let shared = Answerer()

    private let questions = DispatchSemaphore(value: 0)
    private let waiting = Locked<[DispatchSemaphore]>([])

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                questions.wait()
                waiting.withLock { $0.popLast() }?.signal()
            }
        }
    }

    func answer() {
        let answer = DispatchSemaphore(value: 0)
        waiting.withLock { $0.append(answer) }
        questions.signal()
        answer.wait()
    }
}

/// Runs a block, which may never return, on a thread of its own.
///
/// - Parameter name: the block's name in a timeline.
/// - Returns: the moment at which the block has returned.
package func onNewThread(
    _ name: String = "block", _ body: @escaping @Sendable () -> Void
) -> Moment {
    let end = Moment(number: EventRecorder.isRecording ? EventRecorder.nextNumber() : 0)
    Thread.detachNewThread {
        if EventRecorder.isRecording { EventRecorder.nameThread(name) }
        let text = EventText("end of \(name)")
        // Recorded as a lock that the thread has until its end, so that a wait for the end shows.
        EventRecorder.span(.lockHold, subject: end.number, value: 1, text: text) {
            Picture.block(name, body)
        }
        end.signal()
    }
    return end
}

/// Starts a server for one measurement of a variant. It answers `/plain` at once and `/held` at the
/// gate `held`; the body of `/pieces` is `A`, and `B` at the gate `second`.
func withServer<Mistake: RawRepresentable, Result>(
    _ mistake: Mistake?, _ body: (LoopbackServer) throws -> Result
) throws -> Result where Mistake.RawValue == String {
    try withServer(of: mistake?.rawValue ?? "correct", body)
}

/// The same, with additional routes, or with TLS.
package func withServer<Result>(
    of variant: String, routes: Routes = Routes(), tls: TLSSettings? = nil,
    _ body: (LoopbackServer) throws -> Result
) throws -> Result {
    Picture.begin(variant)
    let server = LoopbackServer(routes: routes, tls: tls)
    server.add("/plain") { _ in .text("plain") }
    server.add("/held") { _ in .text("held").after(.wait(gate: "held")) }
    server.add("/pieces") { _ in
        ScriptedResponse([
            .bytes(ScriptedResponse.head(200, [("Content-Length", "2")])), .bytes(Data("A".utf8)),
            .wait(gate: "second"), .bytes(Data("B".utf8)),
        ])
    }
    try server.start()
    defer { server.stop() }
    return try body(server)
}

extension LoopbackServer {
    /// Waits until so many requests have arrived in all; false when that does not happen in time.
    package func receives(_ count: Int, within seconds: Double = Patience.long) -> Bool {
        waits(within: seconds) { _, requests in requests.count >= count }
    }

    /// Waits until so many responses wait at a gate; false when that does not happen in time.
    @discardableResult
    package func reaches(_ gate: String, count: Int = 1) -> Bool {
        Patience.beats(within: Patience.long) {
            waitUntilReached(gate, count: count, timeout: $0)
        }
    }

    /// Waits until the server's statistics fulfil a condition; false when they do not in time.
    @discardableResult
    package func waits(
        within seconds: Double = Patience.long,
        until isSo: @Sendable (Statistics, [RecordedRequest]) -> Bool
    ) -> Bool {
        Patience.beats(within: seconds) { waitUntil(timeout: $0, isSo) }
    }
}
