import CurlConnection
import TestSupport

extension TestWorld {
    /// A thread with a run loop.
    var thread: LoopThread { own(end: { $0.end() }) { LoopThread() } }

    /// A request during which each call is made.
    func request(with call: Call) -> URLRequest {
        switch call {
        case .willSend, .finish: return self.request("/ok")
        case .willSendRedirect: return self.request("/redirect")
        case .challenge: return self.request("/basic")
        case .response, .data, .notConsumed: return self.request("/bytes/10000000")
        case .fail: return self.request("/truncated")
        case .sent:
            var request = self.request("/upload", "POST")
            request.httpBody = Data(count: 5_000_000)
            return request
        case .newStream:
            var request = self.request("/redirect?to=/upload&status=307", "POST")
            request.httpBodyStream = PiecesStream([Data("once".utf8)])
            return request
        }
    }

    /// Loads a path to its end.
    func load(_ path: String) -> Heard {
        load(request(path))
    }

    /// Loads a request to its end.
    func load(
        _ request: URLRequest, _ recorder: Recorder = Recorder(),
        configure: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) -> Heard {
        thread.start(request, recorder, configure: configure)
        return recorder.atEnd()
    }

    /// Starts a load and waits until its first challenge is put, which stays open.
    func asked(
        _ request: URLRequest, _ recorder: Recorder
    ) -> Box<URLAuthenticationChallenge> {
        let challenge = Box<URLAuthenticationChallenge>()
        recorder.onChallenge = { challenge.value = $0 }
        thread.start(request, recorder)
        #expect(recorder.wait { $0.count(.challenge) == 1 })
        return challenge
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

/// Runs a test with a thread for its loads, and ends both; the thread goes before the servers.
func withWorld<Result>(
    _ world: TestWorld = TestWorld(), modes: [RunLoop.Mode] = [.default],
    _ body: (TestWorld) throws -> Result
) throws -> Result {
    _ = world.own("thread", end: { $0.end() }) { LoopThread(modes: modes) }
    defer { world.end() }
    return try body(world)
}

extension Recorder {
    /// Answers each challenge with the next credential, then with none.
    func answer(with credentials: [URLCredential]) {
        let left = Box(credentials)
        onChallenge = { challenge in
            guard let next = left.value?.first else {
                challenge.sender?.continueWithoutCredential(for: challenge)
                return
            }
            left.value?.removeFirst()
            challenge.sender?.use(next, for: challenge)
        }
    }
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
