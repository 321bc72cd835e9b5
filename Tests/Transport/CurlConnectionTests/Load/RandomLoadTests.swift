import TestSupport

@testable import CurlConnection

@Suite("Loads at random", .timeLimit(.minutes(60)))
struct RandomLoadTests {
    private static let count =
        ProcessInfo.processInfo.environment["RANDOM_LOADS"].flatMap { Int($0) } ?? 10_000
    /// What arrives whole where a load succeeds.
    private static let bodies = [
        "/bytes/200000": GeneratedBytes.bytes(seed: 1, range: 0..<200_000),
        "/chunks": GeneratedBytes.bytes(seed: 2, range: 0..<101_001),
        "/coded": Data(count: Compressed.decodedCount),
    ]

    /// A delegate that suspends, resumes and cancels inside every call, and notes what may not be.
    private final class Storm: URLConnectionDelegate, @unchecked Sendable {
        // @unchecked because all is used on the loop's thread.
        let connection: URLConnection
        private let ended: (Storm) -> Void
        private var random: SeededNumbers
        private var isCancelled = false
        private var isSuspended = false
        private var isResuming = false
        private var open: [() -> Void] = []
        private var received = Data()
        /// Whether it has answered that the response is not wanted.
        private var isRefused = false
        private(set) var ends = 0
        private(set) var faults: [String] = []

        init(_ request: URLRequest, seed: UInt64, _ ended: @escaping (Storm) -> Void) {
            random = SeededNumbers(seed: seed)
            self.ended = ended
            connection = URLConnection(request: request, delegate: nil, startImmediately: false)
            connection.delegate = self
        }

        private func note(_ call: String, isEnd: Bool = false) {
            if isCancelled { faults.append("\(call) after the cancel") }
            if ends > 0 { faults.append("\(call) after the end") }
            if isSuspended { faults.append("\(call) while suspended") }
            if isResuming { faults.append("\(call) inside resume") }
            if isEnd {
                ends += 1
                ended(self)
            } else {
                order()
            }
        }

        private func order() {
            switch random.next() % 16 {
            case 0, 1: suspend()
            case 2:
                suspend()
                resume()
            case 3:
                suspend()
                resume()
                suspend()
            case 4 where random.next() % 8 == 0: cancel()
            default: break
            }
        }

        private func suspend() {
            isSuspended = true
            connection.suspend()
        }

        private func resume() {
            isResuming = true
            connection.resume()
            isResuming = false
            isSuspended = false
        }

        private func cancel() {
            guard !isCancelled, ends == 0 else { return }
            isCancelled = true
            connection.cancel()
            ended(self)
        }

        /// From outside of the load's calls.
        func poke() {
            guard ends == 0, !isCancelled else { return }
            if !open.isEmpty, random.next() % 2 == 0 { open.removeFirst()() }
            if isSuspended, random.next() % 2 == 0 { resume() }
            if random.next() % 32 == 0 { order() }
        }

        var isOver: Bool { isCancelled || ends > 0 }

        private func answer<Value>(_ value: Value) -> URLConnection.Answer<Value> {
            switch random.next() % 4 {
            case 0:
                let decision = Decision<Value>()
                let sent = Locked(value)
                open.append { decision.answer(sent.withLock { $0 }) }
                return .later(decision)
            case 1:
                let decision = Decision<Value>()
                decision.answer(value)
                return .later(decision)
            default: return .now(value)
            }
        }

        func connection(
            _ connection: URLConnection, willSend request: URLRequest,
            redirectResponse: URLResponse?
        ) -> URLRequest? {
            note("willSend")
            return request
        }

        func connection(
            _ connection: URLConnection, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest
        ) -> URLConnection.Answer<URLRequest?> {
            note("redirect")
            return answer(request)
        }

        func connection(
            _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge
        ) {
            note("challenge")
            let credential = URLCredential(user: "user", password: "pass", persistence: .none)
            if random.next() % 2 == 0 {
                challenge.sender?.use(credential, for: challenge)
            } else {
                open.append { challenge.sender?.use(credential, for: challenge) }
            }
        }

        func connectionShouldUseCredentialStorage(_ connection: URLConnection) -> Bool {
            note("storage")
            return false
        }

        func connection(
            _ connection: URLConnection, newBodyStreamFor request: URLRequest
        ) -> URLConnection.Answer<InputStream?> {
            note("body")
            return answer(PiecesStream([Data("again".utf8)]))
        }

        func connection(
            _ connection: URLConnection, dispositionAfter response: URLResponse
        ) -> URLConnection.Answer<URLConnection.ResponseDisposition> {
            note("response")
            isRefused = random.next() % 16 == 0
            return answer(isRefused ? .cancel : .allow)
        }

        func connection(_ connection: URLConnection, didReceive data: Data) {
            received += data
            note("data")
        }

        func connectionBytesNotConsumed(_ connection: URLConnection) -> Int {
            note("room")
            return random.next() % 8 == 0 ? 1 : 0
        }

        func connection(
            _ connection: URLConnection, didSendBodyData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) { note("sent") }

        func connection(
            _ connection: URLConnection, willStore cachedResponse: CachedURLResponse
        ) -> URLConnection.Answer<CachedURLResponse?> {
            note("cache")
            return answer(cachedResponse)
        }

        func connection(_ connection: URLConnection, waitsFor wait: LoadWait?) { note("waits") }

        func connection(
            _ connection: URLConnection, didDecideAboutRetry decision: RetryDecision
        ) { note("retry") }

        func connection(
            _ connection: URLConnection, didFinishCollecting metrics: RequestMetrics
        ) { note("metrics") }

        func connectionDidFinishLoading(_ connection: URLConnection) {
            if let whole = RandomLoadTests.bodies[connection.originalRequest.url?.path() ?? ""],
                received != whole
            {
                faults.append("\(received.count) bytes of \(whole.count)")
            }
            note("finish", isEnd: true)
        }

        func connection(_ connection: URLConnection, didFailWithError error: any Error) {
            if connection.originalRequest.httpMethod == "GET", !isRefused {
                faults.append("\(error)")
            }
            note("fail", isEnd: true)
        }
    }

    /// Keeps some loads under way; on the loop's thread.
    private final class Storms: @unchecked Sendable {
        // @unchecked because all is used on the loop's thread.
        private var left: Int
        private var random = SeededNumbers(seed: 40)
        private let requests: [URLRequest]
        private let configuration: URLConnectionConfiguration
        private var underWay: [ObjectIdentifier: Storm] = [:]
        private(set) var faults: [String] = []

        init(_ count: Int, _ requests: [URLRequest], _ configuration: URLConnectionConfiguration) {
            (left, self.requests, self.configuration) = (count, requests, configuration)
        }

        /// - Returns: whether some are left.
        func goOn() -> Bool {
            for (key, storm) in underWay {
                storm.poke()
                guard storm.isOver else { continue }
                faults += storm.faults.map { "\(storm.connection.originalRequest): \($0)" }
                if storm.connection.state != .over { faults.append("not over") }
                underWay[key] = nil
            }
            while underWay.count < 60, left > 0 {
                left -= 1
                var request = requests[Int(random.next() % UInt64(requests.count))]
                if request.httpMethod == "PUT", left % 2 == 0 {
                    request.httpBody = nil
                    request.httpBodyStream = PiecesStream([Data("once".utf8)])
                }
                let storm = Storm(request, seed: random.next()) { _ in }
                underWay[ObjectIdentifier(storm)] = storm
                storm.connection.configuration = configuration
                storm.connection.start()
                if left % 8 == 0 { storm.poke() }
            }
            return !underWay.isEmpty
        }

        var description: String {
            underWay.values.map {
                "\($0.connection.originalRequest) \($0.connection.state) "
                    + "\($0.connection.suspension.phase)"
            }.joined(separator: "\n")
        }
    }

    @Test
    func `each has one end, is whole, and hears nothing after a cancel or while it is suspended`()
        throws
    {
        try withWorld { world in
            world.server.add("/coded") { _ in
                .data(Compressed.zeros, headers: [("Content-Encoding", "gzip")])
            }
            world.server.add("/kept") { _ in
                .text("kept", headers: [("Cache-Control", "max-age=600")])
            }
            world.server.add("/chunks") { _ in
                let bytes = GeneratedBytes.bytes(seed: 2, range: 0..<101_001)
                return .chunked([bytes.prefix(1_000), bytes[1_000..<101_000], bytes.suffix(1)])
            }
            world.server.add("/busy") { _ in .text("busy", status: 503) }
            world.server.add("/moved") { _ in
                .text("moved", status: 307, headers: [("Location", "/upload")])
            }
            let paths = [
                "/ok", "/bytes/200000?seed=1", "/redirect?to=/ok", "/coded", "/204", "/kept",
                "/busy", "/basic", "/chunks",
            ]
            var requests = paths.map { world.request($0) }
            for path in ["/upload", "/moved"] {
                var request = world.request(path, "PUT")
                request.httpBody = Data(count: 100_000)
                requests.append(request)
            }
            var configuration = URLConnectionConfiguration()
            configuration.responseCache = try ResponseCache(memoryCapacity: 1 << 20)
            configuration.credentialStorage = nil
            var policy = RetryPolicy(budget: nil)
            policy.delay = 0
            policy.maximumAttempts = 2
            configuration.retryPolicy = policy
            let storms = Box<Storms>()
            storms.value = Storms(Self.count, requests, configuration)
            var last = Date()
            var known = -1
            while world.thread.sync({ storms.value?.goOn() == true }) == true {
                let served = world.server.statistics.requests
                if served != known { (known, last) = (served, Date()) }
                if last.timeIntervalSinceNow < -30 {
                    Issue.record("\(world.thread.sync { storms.value?.description ?? "" } ?? "")")
                    break
                }
            }
            let faults = world.thread.sync { storms.value?.faults ?? [] } ?? []
            #expect(faults.isEmpty, "\(faults.count): \(faults.prefix(20))")
            world.thread.settle()
            let counts = world.thread.sync { () -> [Int] in
                guard
                    let transport = try? TransportTable.transport(
                        for: TransportKey(modes: [.default]))
                else { return [] }
                return [transport.transfers.count, transport.loads.count, transport.due.count]
            }
            #expect(counts == [0, 0, 0])
            #expect(world.load("/ok").text == "hello world")
        }
    }
}
