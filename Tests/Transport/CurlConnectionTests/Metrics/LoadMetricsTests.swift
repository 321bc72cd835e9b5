import CurlConnection
import TestSupport

@Suite("The times of a load", .timeLimit(.minutes(2)))
struct LoadMetricsTests {
    /// The metrics that a delegate was told, which are sound.
    private func measured(_ heard: Heard) throws -> RequestMetrics {
        #expect(heard.metrics.count == 1)
        #expect(!heard.wasMeasuredAfterEnd)
        let metrics = try #require(heard.metrics.first)
        metrics.expectSound()
        return metrics
    }

    // MARK: One exchange

    @Test func `a first request makes its connection, a second one finds it`() throws {
        try withWorld { world in
            let first = try measured(world.load("/ok"))
            let made = try #require(first.transactionMetrics.first)
            #expect(first.transactionMetrics.count == 1)
            #expect(!made.isReusedConnection)
            #expect(made.connectStartDate != nil && made.connectEndDate != nil)
            #expect(made.secureConnectionStartDate == nil && made.secureConnectionEndDate == nil)
            #expect(made.remotePort == Int(world.server.port))
            #expect(made.remoteAddress == "127.0.0.1" && made.localAddress == "127.0.0.1")
            let second = try measured(world.load("/ok"))
            let kept = try #require(second.transactionMetrics.first)
            #expect(kept.isReusedConnection)
            #expect(kept.domainLookupStartDate == nil && kept.domainLookupEndDate == nil)
            #expect(kept.connectStartDate == nil && kept.connectEndDate == nil)
            #expect(kept.localPort == made.localPort && kept.localPort != nil)
            #expect(kept.durations.connect == .zero && kept.durations.domainLookup == .zero)
        }
    }

    @Test func `the facts of an exchange are those of Foundation`() throws {
        try withWorld { world in
            let metrics = try measured(world.load("/ok"))
            let only = try #require(metrics.transactionMetrics.first)
            #expect(only.resourceFetchType == .networkLoad)
            #expect(only.request.url == world.server.url("/ok"))
            #expect(only.response?.statusCode == 200)
            #expect(only.networkProtocolName == "http/1.1")
            #expect(!only.isProxyConnection)
            #expect(only.negotiatedTLSProtocolVersion == nil)
            #expect(only.negotiatedTLSCipherSuite == nil)
            #expect(only.requestEndDate != nil && only.responseEndDate != nil)
            #expect(metrics.redirectCount == 0)
            #expect(metrics.queuedDate == nil && metrics.calledBackDate == nil)
            #expect(abs(metrics.taskInterval.end.timeIntervalSinceNow) < 60)
        }
    }

    @Test(arguments: ["/ok", "/204", "/early-hints", "/bytes/200000", "/big-head?size=8000"])
    func `bytes are those that the server counted`(path: String) throws {
        try withWorld { world in
            let only = try #require(
                try measured(world.load(path)).transactionMetrics.first)
            #expect(world.serverIsIdle())
            let counted = world.server.statistics
            #expect(only.countOfRequestHeaderBytesSent == counted.bytesReceived)
            #expect(
                only.countOfResponseHeaderBytesReceived + only.countOfResponseBodyBytesReceived
                    == counted.bytesSent)
        }
    }

    @Test(arguments: [0, 5, 300_000], [false, true])
    func `bytes of a body that is sent are counted apart`(size: Int, isStream: Bool) throws {
        try withWorld { world in
            var request = world.request("/upload", "POST")
            let body = GeneratedBytes.bytes(seed: 3, range: 0..<Int64(size))
            if isStream {
                request.httpBodyStream = InputStream(data: body)
                request.setValue("\(size)", forHTTPHeaderField: "Content-Length")
            } else {
                request.httpBody = body
            }
            let only = try #require(
                try measured(world.load(request)).transactionMetrics.first)
            #expect(only.countOfRequestBodyBytesSent == size)
            #expect(
                only.countOfRequestHeaderBytesSent + only.countOfRequestBodyBytesSent
                    == world.server.statistics.bytesReceived)
        }
    }

    @Test func `a coded body counts before and after`() throws {
        try withWorld { world in
            let heard = world.load("/gzip")
            #expect(world.serverIsIdle())
            let only = try #require(try measured(heard).transactionMetrics.first)
            #expect(only.countOfResponseBodyBytesAfterDecoding == heard.data.count)
            #expect(
                only.countOfResponseHeaderBytesReceived + only.countOfResponseBodyBytesReceived
                    == world.server.statistics.bytesSent)
            #expect(only.response?.expectedContentLength == -1)
        }
    }

    @Test func `a server that answers before the body was sent`() throws {
        try withWorld { world in
            var request = world.request("/early-413", "POST")
            request.httpBody = GeneratedBytes.bytes(seed: 1, range: 0..<4_000_000)
            let heard = world.load(request)
            _ = try measured(heard)
        }
    }

    // MARK: Several

    @Test func `each redirect is an exchange`() throws {
        try withWorld { world in
            let metrics = try measured(world.load("/redirect-chain?n=3"))
            #expect(metrics.redirectCount == 3)
            #expect(
                metrics.transactionMetrics.map { $0.response?.statusCode } == [302, 302, 302, 200])
            #expect(
                metrics.transactionMetrics.map { $0.request.url?.absoluteString }
                    == world.server.requests.map { world.address($0.target) })
            #expect(
                metrics.transactionMetrics.map(\.isReusedConnection) == [false, true, true, true])
        }
    }

    @Test(arguments: ["/basic", "/digest-auth/auth/user/pass"])
    func `a challenge and its answer are two exchanges`(path: String) throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = {
                let credential = URLCredential(
                    user: "user", password: "pass", persistence: .none)
                $0.previousFailureCount == 0
                    ? $0.sender?.use(credential, for: $0)
                    : $0.sender?.continueWithoutCredential(for: $0)
            }
            let heard = world.load(world.request(path), recorder)
            #expect(world.serverIsIdle())
            let metrics = try measured(heard)
            #expect(metrics.transactionMetrics.count == world.server.requests.count)
            #expect(metrics.transactionMetrics.first?.response?.statusCode == 401)
            #expect(metrics.transactionMetrics.last?.response?.statusCode == heard.status)
            #expect(metrics.transactionMetrics.count >= 2)
            let sent = metrics.transactionMetrics.map(\.countOfRequestHeaderBytesSent)
            #expect(sent.reduce(0, +) == world.server.statistics.bytesReceived)
            let received = metrics.transactionMetrics.map(\.countOfResponseHeaderBytesReceived)
            #expect(received.allSatisfy { $0 > 0 })
            #expect(received.reduce(0, +) < world.server.statistics.bytesSent)
        }
    }

    /// Several requests and responses on one handle of libcurl's.
    @Test(arguments: [false, true])
    func `what libcurl repeats by itself is an exchange of its own`(closes: Bool) throws {
        try withWorld { world in
            let count = Box(0)
            world.server.add("/door") { request in
                let authorization = request.headers["Authorization"] ?? ""
                if authorization.contains("nonce=\"n2\"") { return .text("authorized") }
                count.value = (count.value ?? 0) + 1
                let stale = authorization.isEmpty ? "" : ", stale=true"
                let nonce = authorization.isEmpty ? "n1" : "n2"
                let challenge = "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\"\(stale)"
                var fields = [("WWW-Authenticate", challenge)]
                if closes { fields.append(("Connection", "close")) }
                let answer = ScriptedResponse.text("No", status: 401, headers: fields)
                return closes ? answer.then(.close) : answer
            }
            let recorder = Recorder()
            recorder.onChallenge = {
                $0.sender?.use(
                    URLCredential(user: "user", password: "pass", persistence: .none), for: $0)
            }
            let heard = world.load(world.request("/door"), recorder)
            #expect(heard.text == "authorized")
            let metrics = try measured(heard)
            let log = world.server.requests
            #expect(metrics.transactionMetrics.count == log.count)
            #expect(log.count > 2)
            let statuses = metrics.transactionMetrics.map { $0.response?.statusCode ?? 0 }
            #expect(statuses == log.dropLast().map { _ in 401 } + [200])
            #expect(
                metrics.transactionMetrics.map(\.countOfRequestHeaderBytesSent).reduce(0, +)
                    == world.server.statistics.bytesReceived)
            let ports = metrics.transactionMetrics.map(\.localPort)
            #expect(Set(ports).count == Set(log.map(\.connection)).count)
        }
    }

    @Test func `a request repeated on a new connection is two exchanges`() throws {
        try withWorld { world in
            world.server.add("/stale") { request in
                request.sequence > 1 ? ScriptedResponse([.close]) : .text("fresh")
            }
            #expect(world.load("/stale").status == 200)
            let metrics = try measured(world.load("/stale"))
            #expect(metrics.transactionMetrics.map(\.isReusedConnection) == [true, false])
            #expect(metrics.transactionMetrics.map { $0.response?.statusCode } == [nil, 200])
            #expect(metrics.transactionMetrics.first?.responseEndDate == nil)
        }
    }

    // MARK: Ends

    @Test func `a refused connection has no request`() throws {
        try withWorld { world in
            let other = LoopbackServer.started()
            let url = other.url("/")
            other.stop()
            let heard = world.load(URLRequest(url: url))
            #expect(heard.code == .cannotConnectToHost)
            let only = try #require(try measured(heard).transactionMetrics.first)
            #expect(only.connectStartDate != nil)
            #expect(only.connectEndDate == nil && only.requestStartDate == nil)
            #expect(only.response == nil && only.responseEndDate == nil)
            #expect(!only.isReusedConnection)
            #expect(only.durations.connect > .zero)
        }
    }

    @Test func `a request that is refused before it is sent has no exchange`() throws {
        try withWorld { world in
            let url = try #require(URL(string: "ftp://127.0.0.1/"))
            let metrics = try measured(world.load(URLRequest(url: url)))
            #expect(metrics.transactionMetrics.isEmpty)
            #expect(metrics.durations.total == metrics.durations.other)
        }
    }

    @Test func `a body that is cut short`() throws {
        try withWorld { world in
            let heard = world.load("/truncated?length=1000&sent=100")
            #expect(heard.error != nil)
            let only = try #require(try measured(heard).transactionMetrics.first)
            #expect(only.countOfResponseBodyBytesReceived == 100)
            #expect(only.response?.statusCode == 200)
        }
    }

    @Test func `a cancelled load keeps what it measured, and nobody is told`() throws {
        try withWorld { world in
            let recorder = Recorder()
            world.thread.start(world.request("/hang-body?length=1000&sent=100"), recorder)
            #expect(recorder.wait { $0.data.count == 100 })
            let before = world.thread.sync { recorder.connection?.metrics == nil }
            #expect(before == true)
            let metrics = try #require(
                world.thread.sync {
                    recorder.connection?.cancel()
                    return recorder.connection?.metrics
                } ?? nil)
            metrics.expectSound()
            #expect(metrics.transactionMetrics.count == 1)
            #expect(metrics.transactionMetrics.first?.countOfResponseBodyBytesReceived == 100)
            #expect(recorder.heard.metrics.isEmpty && recorder.heard.ends == 0)
        }
    }

    @Test func `a delegate that cancels when it is told hears no last call`() throws {
        try withWorld { world in
            for path in ["/ok", "/truncated?length=1000&sent=100"] {
                let recorder = Recorder()
                recorder.onMetrics = { $0.cancel() }
                world.thread.start(world.request(path), recorder)
                #expect(recorder.wait { !$0.metrics.isEmpty })
                world.thread.settle()
                #expect(recorder.heard.ends == 0)
                #expect(recorder.heard.metrics.count == 1)
            }
        }
    }

    @Test func `one that waits for a connection says how long`() throws {
        try withWorld { world in
            world.server.hold("first")
            world.server.add("/held") { _ in .text("held").after(.wait(gate: "first")) }
            let one: @Sendable (URLConnection) -> Void = {
                $0.configuration.httpMaximumConnectionsPerHost = 1
            }
            let first = Recorder()
            let second = Recorder()
            world.thread.start(world.request("/held"), first, configure: one)
            #expect(world.server.waitUntilReached("first", count: 1, timeout: patience))
            world.thread.start(world.request("/ok"), second, configure: one)
            world.thread.settle()
            world.server.release("first")
            let before = try measured(first.atEnd())
            let after = try measured(second.atEnd())
            let waited = try #require(after.transactionMetrics.first)
            let ended = try #require(before.transactionMetrics.first?.responseEndDate)
            #expect(try #require(waited.requestStartDate) >= ended)
            #expect(try #require(waited.fetchStartDate) <= ended)
            let known = waited.requestStartDate?.timeIntervalSince(
                waited.fetchStartDate ?? .distantFuture)
            #expect(waited.isReusedConnection && known.map { $0 > 0 } == true)
            #expect(waited.durations.waitingForConnection > .zero)
        }
    }
}
