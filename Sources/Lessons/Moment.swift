import Dispatch
import Foundation
import Locking
import LoopbackServer

/// Something that happens once, and that threads wait for.
///
/// An experiment holds a thread at one, and lets it go when it has seen who else moves.
///
/// ## Concurrency
/// Call from: any thread. Lock: none.
final class Moment: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func comes() {
        semaphore.signal()
    }

    /// Waits; false when it does not come in time.
    func isThere(within seconds: Double = Patience.long) -> Bool {
        guard semaphore.wait(timeout: .now() + seconds) == .success else { return false }
        // Whoever waits after this finds it too.
        semaphore.signal()
        return true
    }
}

/// How long an experiment waits, in seconds.
enum Patience {
    /// For what must happen.
    static let long = 10.0
    /// For what must not happen: it would have happened in a small part of it.
    static let short = 0.3

    /// For what a reader's file may do or not do.
    static let check = 3.0

    /// For what a variant does or does not do.
    static func forWhat(happens: Bool) -> Double { happens ? long : short }

    /// Looks again and again whether something is so; false when it does not become so in time.
    static func until(within seconds: Double = long, _ isSo: () -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while !isSo() {
            if Date() > end { return isSo() }
            usleep(500)
        }
        return true
    }
}

/// Runs what may block on a thread of its own.
///
/// - Returns: the moment in which it has returned.
func aside(_ body: @escaping @Sendable () -> Void) -> Moment {
    let end = Moment()
    Thread.detachNewThread {
        body()
        end.comes()
    }
    return end
}

/// A server for one measurement: `/plain` is answered, `/held` waits at the gate `held`, and the body
/// of `/pieces` is `A`, which comes at once, and `B` behind the gate `second`.
func withServer<Result>(_ body: (LoopbackServer) throws -> Result) throws -> Result {
    let server = LoopbackServer(routes: Routes())
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
    func receives(_ count: Int, within seconds: Double = Patience.long) -> Bool {
        waitUntil(timeout: seconds) { _, requests in requests.count >= count }
    }
}
