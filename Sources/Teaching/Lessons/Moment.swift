import Dispatch
import EventRecorder
import Foundation
import Locking
package import LoopbackServer

/// Something that happens once, and that threads wait for.
///
/// An experiment holds a thread at one, and lets it go when it has seen who else moves.
///
/// ## Concurrency
/// Call from: any thread. Lock: none.
package final class Moment: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    /// By which a recording knows it; 0 where nobody asks.
    let number: UInt64

    package convenience init() { self.init(number: 0) }

    init(number: UInt64) {
        self.number = number
    }

    package func comes() {
        semaphore.signal()
    }

    /// Waits; false when it does not come in time.
    package func isThere(within seconds: Double = Patience.long) -> Bool {
        let hasCome = Patience.beats(within: seconds) { beat in
            semaphore.wait(timeout: .now() + beat) == .success
        }
        // Whoever waits after this finds it too.
        if hasCome { semaphore.signal() }
        return hasCome
    }
}

/// How long an experiment waits, in seconds of a machine that has time for it.
///
/// On one that is busy they are longer: a second is fifty beats, and in each of them another thread has been
/// woken, and has answered. So what needs a few such steps happens in time on any machine.
package enum Patience {
    /// For what must happen.
    package static let long = 10.0
    /// For what must not happen: it would have happened in a small part of it.
    package static let short = 0.3

    /// For what a reader's file may do or not do.
    static let check = 3.0

    /// For what a variant does or does not do.
    package static func forWhat(happens: Bool) -> Double { happens ? long : short }

    /// Looks again and again whether something is so; false when it does not become so in time.
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

    /// Waits beat by beat; false when no beat of these seconds brings it.
    ///
    /// - Parameter brings: waits for so many seconds at most.
    fileprivate static func beats(
        within seconds: Double, _ brings: (_ beat: Double) -> Bool
    ) -> Bool {
        let beat = 0.02
        for _ in 0..<Int((seconds / beat).rounded(.up)) {
            if brings(beat) { return true }
            Answerer.shared.answer()
        }
        return brings(0)
    }
}

/// A thread that answers whoever asks: a machine on which it is late is late with others as well.
///
/// ## Concurrency
/// Call from: any thread, which waits. Lock: one around those who have asked.
private final class Answerer: Sendable {
    static let shared = Answerer()

    private let asked = DispatchSemaphore(value: 0)
    private let asking = Locked<[DispatchSemaphore]>([])

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                asked.wait()
                asking.withLock { $0.popLast() }?.signal()
            }
        }
    }

    func answer() {
        let answer = DispatchSemaphore(value: 0)
        asking.withLock { $0.append(answer) }
        asked.signal()
        answer.wait()
    }
}

/// Runs what may block on a thread of its own.
///
/// - Parameter name: what a picture calls it.
/// - Returns: the moment in which it has returned.
package func aside(
    _ name: String = "block", _ body: @escaping @Sendable () -> Void
) -> Moment {
    let end = Moment(number: EventRecorder.isRecording ? EventRecorder.nextNumber() : 0)
    Thread.detachNewThread {
        if EventRecorder.isRecording { Thread.current.name = name }
        let text = EventText("end of \(name)")
        // Whoever waits for its end waits for what it holds.
        EventRecorder.span(.lockHold, subject: end.number, value: 1, text: text) {
            Picture.block(name, body)
        }
        end.comes()
    }
    return end
}

/// A server for one measurement of a variant: `/plain` is answered, `/held` waits at the gate `held`, and
/// the body of `/pieces` is `A`, which comes at once, and `B` behind the gate `second`.
func withServer<Mistake: RawRepresentable, Result>(
    _ mistake: Mistake?, _ body: (LoopbackServer) throws -> Result
) throws -> Result where Mistake.RawValue == String {
    try withServer(of: mistake?.rawValue ?? "correct", body)
}

/// The same, with other routes besides, or over TLS.
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
    /// Waits until so many requests have come in all; false when that does not happen in time.
    package func receives(_ count: Int, within seconds: Double = Patience.long) -> Bool {
        waits(within: seconds) { _, requests in requests.count >= count }
    }

    /// Waits until so many answers are held at a gate; false when that does not happen in time.
    @discardableResult
    package func reaches(_ gate: String, count: Int = 1) -> Bool {
        Patience.beats(within: Patience.long) {
            waitUntilReached(gate, count: count, timeout: $0)
        }
    }

    /// Waits until what the server has seen is so; false when that does not happen in time.
    @discardableResult
    package func waits(
        within seconds: Double = Patience.long,
        until isSo: @Sendable (Statistics, [RecordedRequest]) -> Bool
    ) -> Bool {
        Patience.beats(within: seconds) { waitUntil(timeout: $0, isSo) }
    }
}
