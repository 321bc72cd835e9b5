import Dispatch
import EventRecorder
import Foundation
import Locking
package import LoopbackServer

/// An event that happens once, and for which threads can wait: a latch.
///
/// With a moment, an experiment holds one thread until the experiment has seen what other threads do.
///
/// ## Concurrency
/// Call from: any thread. Lock: none.
package final class Moment: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    /// Identifies the moment in a recording; 0 if it is not recorded.
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

/// The time limits of waits in experiments and checks. On a busy machine they last longer than their seconds say.
///
/// A second is fifty beats of 20 ms. After each beat the waiting thread also waits until another thread was woken and
/// replied. So where switching threads is slow, the limit grows with it.
package enum Patience {
    /// For an event that must happen.
    package static let long = 10.0
    /// For an event that must not happen. It is long enough: if a mistake causes the event, it comes much sooner.
    package static let short = 0.3

    /// For each event that a reader's solution must cause.
    static let check = 3.0

    /// For an event that the variant of an experiment causes (`long`), or that it does not cause (`short`).
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

    /// Calls `waitOneBeat` until it returns true; false when it did not in time.
    ///
    /// - Parameter waitOneBeat: waits for the event, at most the seconds of a beat; returns whether it has happened.
    fileprivate static func beats(
        within seconds: Double, _ waitOneBeat: (_ beat: Double) -> Bool
    ) -> Bool {
        let beat = 0.02
        for _ in 0..<Int((seconds / beat).rounded(.up)) {
            if waitOneBeat(beat) { return true }
            Answerer.shared.answer()
        }
        return waitOneBeat(0)
    }
}

/// A thread that only replies. How long its reply takes shows how slow it is to switch threads at the moment.
///
/// ## Concurrency
/// Call from: any thread, which waits for the reply. Lock: one around the list of those that wait.
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
        // The moment is recorded as a lock that the thread holds until the block returns, so that a timeline shows who
        // waits for the return. A real lock has a depth (`value`) of 1 or more; 0 marks that this is none.
        EventRecorder.span(.lockHold, subject: end.number, value: 0, text: text) {
            Picture.block(name, body)
        }
        end.signal()
    }
    return end
}

/// Starts a server for one measurement of a variant; nil is the variant `correct`.
///
/// A gate is a point where the server waits until it is released. The server answers `/plain` at once, and `/held` when
/// the gate `held` is released. For `/pieces` it sends `A` at once, and `B` when the gate `second` is released.
func withServer<Mistake: RawRepresentable, Output>(
    _ mistake: Mistake?, _ body: (LoopbackServer) throws -> Output
) throws -> Output where Mistake.RawValue == String {
    try withServer(of: mistake?.rawValue ?? "correct", body)
}

/// The same, with additional routes, or with TLS.
package func withServer<Output>(
    of variant: String, routes: Routes = Routes(), tls: TLSSettings? = nil,
    _ body: (LoopbackServer) throws -> Output
) throws -> Output {
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
    defer {
        if EventRecorder.isRecording {
            // For the server a response ends a moment after the client has its last bytes.
            server.waits(within: 0.02) { now, _ in now.inFlight == 0 }
            Picture.end()
        }
        server.stop()
    }
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

    /// Waits until the server's statistics and requests fulfil a condition; false when they do not in time.
    @discardableResult
    package func waits(
        within seconds: Double = Patience.long,
        until isSo: @Sendable (Statistics, [RecordedRequest]) -> Bool
    ) -> Bool {
        Patience.beats(within: seconds) { waitUntil(timeout: $0, isSo) }
    }
}
