import CurlConnection
import TestSupport

/// A server and a run-loop thread for one test.
struct Fixture: Sendable {
    let server: LoopbackServer
    let thread: LoopThread

    /// A request for a path of the server.
    func request(_ path: String, _ method: String = "GET") -> URLRequest {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = method
        return request
    }

    /// Loads a path to its end.
    func load(_ path: String) -> Heard {
        load(request(path))
    }

    /// Loads a request to its end.
    func load(_ request: URLRequest, _ recorder: Recorder = Recorder()) -> Heard {
        thread.start(request, recorder)
        return recorder.atEnd()
    }

    /// Starts a load whose limits go by a clock that the test turns.
    func start(
        _ request: URLRequest, _ recorder: Recorder, by clock: TurnableClock,
        configure: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) {
        thread.start(request, recorder) {
            configure($0)
            $0.configuration.clock = clock.clock
        }
    }

    /// Lets so many seconds pass for those loads, once the thread has done what it is at.
    func turn(_ clock: TurnableClock, by seconds: TimeInterval) {
        thread.settle()
        clock.turn(by: seconds)
        thread.settle()
    }

    /// Waits until the server has so many requests in hand.
    func serverHas(_ count: Int) -> Bool {
        server.waitUntil(timeout: patience) { statistics, _ in statistics.inFlight == count }
    }

    /// Waits until the server has no connection.
    func serverSeesTheClose() -> Bool {
        server.waitUntil(timeout: patience) { statistics, _ in statistics.connectionsOpen == 0 }
    }

    /// Waits until the server has sent everything it was asked for.
    func serverIsIdle() -> Bool {
        server.waitUntil(timeout: patience) { statistics, _ in statistics.inFlight == 0 }
    }
}

/// Runs a test with a server and a thread, and ends both.
func withFixture(
    modes: [RunLoop.Mode] = [.default], _ body: (Fixture) throws -> Void
) throws {
    let server = LoopbackServer()
    try server.start()
    let thread = LoopThread(modes: modes)
    defer {
        thread.end()
        server.stop()
    }
    try body(Fixture(server: server, thread: thread))
}

extension LoopThread {
    /// Starts a connection on the thread; the recorder keeps it.
    func start(
        _ request: URLRequest, _ recorder: Recorder, modes: [RunLoop.Mode] = [],
        configure: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) {
        let request = Box(request)
        run {
            guard let request = request.value else { return }
            let connection = URLConnection(
                request: request, delegate: recorder, startImmediately: false)
            recorder.connection = connection
            recorder.thread = Thread.current
            for mode in modes { connection.schedule(in: .current, forMode: mode) }
            configure(connection)
            connection.start()
        }
    }
}

/// How many sockets and timers the process has open, the kinds of descriptor by which a connection
/// and a transport show; the runtime opens others when it likes.
func openDescriptors() -> Int {
    openDescriptorKinds().count { $0.hasPrefix("socket:") || $0.contains("timerfd") }
}

/// Whether no more than a handful was added to what was open: a leak adds one for each of many
/// turns, and the runtime of the process opens a few of its own at any time.
func descriptorsAreBack(to before: Int) -> Bool {
    openDescriptors() < before + 10
}

/// What each open descriptor is.
func openDescriptorKinds() -> [String] {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
}
