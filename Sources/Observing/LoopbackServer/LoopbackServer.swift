public import Foundation
import Locking

/// An HTTP/1.1 server on a loopback address inside the process, for tests, lessons, and
/// demonstrations.
///
/// Its responses are scripts: a `ScriptedResponse` is a list of steps that can pause, wait at a
/// gate, stall, or break the connection at any byte. One thread with `poll` serves every
/// connection. With `TLSSettings` it serves the same routes over TLS alone.
///
/// ## Concurrency
/// Call from any thread. `lifecycle` serializes `start` and `stop`; `running` guards the wake pipe;
/// the journal and the route table have locks of their own. Route closures are called on the thread
/// "LoopbackServer" with no lock held: they must be quick and must not call `stop`.
public final class LoopbackServer: Sendable {
    /// The most requests in `requests`; later ones are counted but not logged.
    public static let logLimit = Journal.logLimit

    private struct Running: Sendable {
        let port: UInt16
        let wakePipe: Int32
        let stopFlag: Locked<Bool>
        let thread: LoopThread
    }

    private let lifecycle = NSLock()
    private let running = Locked<Running?>(nil)
    private let state: ServerState
    private let address: String
    private let tls: TLSSettings?
    private var journal: Journal { state.journal }

    /// A server that is not started yet.
    ///
    /// `address` is one of 127.0.0.0/8 in dotted numbers; macOS knows 127.0.0.1 alone. With `tls`
    /// the server does not speak plain HTTP.
    public init(
        routes: Routes = .standard, address: String = "127.0.0.1", tls: TLSSettings? = nil
    ) {
        state = ServerState(routes)
        self.address = address
        self.tls = tls
    }

    deinit {
        stop()
    }

    // MARK: Life

    /// Listens and starts the thread; port 0 lets the kernel choose.
    ///
    /// When it returns, the server accepts connections. A stopped server can be started again.
    ///
    /// - Throws: `LoopbackServerError`.
    public func start(port: UInt16 = 0) throws {
        try start { () throws(LoopbackServerError) in try Sockets.listen(on: address, port: port) }
    }

    /// Listens at a Unix-domain socket in place of an address; `port` is 0 then. The file at the path
    /// must not exist, and stays when the server stops.
    ///
    /// - Throws: `LoopbackServerError`.
    public func start(unixDomainSocketPath path: String) throws {
        try start { () throws(LoopbackServerError) in (try Sockets.listen(at: path), 0) }
    }

    private func start(_ listen: () throws(LoopbackServerError) -> (Int32, UInt16)) throws {
        try lifecycle.withLock {
            if let running = running.withLock({ $0 }) {
                throw LoopbackServerError.alreadyRunning(port: running.port)
            }
            let context = try tls.map { settings throws(LoopbackServerError) in
                try TLSContext(settings)
            }
            let (listener, chosen) = try listen()
            do {
                let ends = try Sockets.makePipe()
                do {
                    let flag = Locked(false)
                    let thread = try LoopThread { [state] in
                        EventLoop(
                            wakePipe: ends.read, listener: listener, state: state,
                            tls: context, mustStop: { flag.withLock(\.self) }
                        ).run()
                    }
                    running.withLock {
                        $0 = Running(
                            port: chosen, wakePipe: ends.write, stopFlag: flag, thread: thread)
                    }
                } catch {
                    Sockets.closeDescriptor(ends.read)
                    Sockets.closeDescriptor(ends.write)
                    throw error
                }
            } catch {
                Sockets.closeDescriptor(listener)
                throw error
            }
        }
    }

    /// Closes the listener and all connections and waits for the thread. A second call does
    /// nothing.
    public func stop() {
        lifecycle.withLock {
            let old = running.withLock { running in
                defer { running = nil }
                return running
            }
            guard let old else { return }
            old.stopFlag.withLock { $0 = true }
            Sockets.wake(old.wakePipe)
            old.thread.join()
            Sockets.closeDescriptor(old.wakePipe)
        }
    }

    // MARK: Addresses

    /// The port; 0 when the server is not running.
    public var port: UInt16 { running.withLock { $0?.port ?? 0 } }

    /// `http://127.0.0.1:PORT/`, or the like with another address or `https`.
    public var baseURL: URL { url("/") }

    /// The URL of a path, which may have a query; it must be percent-escaped.
    ///
    /// `host` is another name of the server's address, such as `localhost`.
    public func url(_ path: String, host: String? = nil) -> URL {
        let origin = "\(tls == nil ? "http" : "https")://\(host ?? address):\(port)"
        let full = origin + (path.hasPrefix("/") ? path : "/" + path)
        return URL(string: full) ?? URL(string: origin) ?? URL(fileURLWithPath: "/")
    }

    // MARK: Observing

    /// The counters now.
    ///
    /// A client can have the last byte of a response before `inFlight` drops; use `waitUntil`.
    public var statistics: Statistics { journal.currentStatistics }

    /// The received requests, in the order in which their heads were complete.
    public var requests: [RecordedRequest] { journal.requests }

    /// The completed TLS handshakes in order.
    public var handshakes: [RecordedHandshake] { journal.handshakes }

    /// Empties both logs, sets totals, arrivals at gates and the routes' counters to zero, and
    /// sets the peaks to the present values.
    public func resetLog() {
        journal.reset()
    }

    /// Waits until the condition is true; false when `timeout` seconds passed first.
    ///
    /// The server evaluates the condition after each event with its lock held: the condition must
    /// be quick and must use its arguments, not the server.
    public func waitUntil(
        timeout: TimeInterval, _ condition: @Sendable (Statistics, [RecordedRequest]) -> Bool
    ) -> Bool {
        journal.wait(timeout, condition)
    }

    /// Sets the block that the server's thread calls with each request and the status of its response, 0 where
    /// that has none. The block must be quick and must not call `stop`.
    package func observe(_ block: @escaping @Sendable (RecordedRequest, Int) -> Void) {
        state.observer.withLock { $0 = block }
    }

    // MARK: Routes

    /// Adds or replaces a route; see `Routes.add`.
    ///
    /// The server calls the closure on its thread, once for each request: when the body is
    /// complete, or with `beforeBody` when the head is. The server keeps the closure, so the
    /// closure must not keep the server.
    public func add(
        _ path: String, isPrefix: Bool = false, beforeBody: Bool = false,
        _ respond: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        state.routes.withLock {
            $0.add(
                path, "Added by the program.", isPrefix: isPrefix, beforeBody: beforeBody, respond)
        }
    }

    // MARK: Gates

    /// Closes a gate; a gate that was never released is closed too.
    public func hold(_ name: String) {
        journal.close(name)
    }

    /// Opens a gate for all responses that wait at it and for later ones, until `hold`.
    public func release(_ name: String) {
        journal.open(name, count: nil)
        wake()
    }

    /// Lets this many responses through a closed gate: first those that wait, then later ones.
    public func release(_ name: String, count: Int) {
        journal.open(name, count: max(0, count))
        wake()
    }

    /// Waits until `count` responses in all have reached a gate since the start or `resetLog`;
    /// false when `timeout` seconds passed first.
    public func waitUntilReached(
        _ gate: String, count: Int = 1, timeout: TimeInterval = 10
    ) -> Bool {
        journal.waitForArrivals(gate, count: count, timeout: timeout)
    }

    private func wake() {
        running.withLock { if let running = $0 { Sockets.wake(running.wakePipe) } }
    }
}

/// The sets of routes that a server can have.
extension Routes {
    /// The routes of the catalogue.
    public static var standard: Routes {
        var routes = Routes()
        routes.addIndex()
        routes.addPlain()
        routes.addTimed()
        routes.addFiles()
        routes.addUploads()
        routes.addRedirects()
        routes.addShared()
        routes.addRangeFaults()
        routes.addFaults()
        routes.addOddHeads()
        return routes
    }

    /// The routes of `eras serve`: the standard routes and httpbin's.
    ///
    /// A path that both have is httpbin's. `/bytes/N` is the standard one, which has ranges and an
    /// entity tag.
    public static var served: Routes {
        var routes = standard
        routes.addHttpbin()
        routes.addFiles()
        routes.answerOptions()
        return routes
    }

    /// The paths and sentences of the standard routes, in the order of the index.
    public static var catalogue: [(path: String, sentence: String)] { standard.catalogue }

    /// httpbin's paths with responses of the same form, and under `/x/` further test routes.
    ///
    /// They are a separate set because `standard` gives several of the paths another meaning.
    public static var httpbin: Routes {
        var routes = Routes()
        routes.addIndex()
        routes.addHttpbin()
        routes.addExam()
        routes.addExamFaults()
        return routes
    }
}
