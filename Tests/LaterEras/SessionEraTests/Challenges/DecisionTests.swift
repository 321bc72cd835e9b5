import CurlConnection
import OperationNetworking
import SessionEra
import TLSPeer
import TestSupport

@Suite(
    "Challenges, trust and redirects: UM-17 to UM-20, LX-11 to LX-13",
    .timeLimit(.minutes(1)))
struct DecisionTests {
    private let world = TestWorld(.connection)

    // MARK: - Challenges

    private func basic(_ answer: AuthenticationChallengeAnswer) async -> Outcome {
        world.manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            challenge.previousFailureCount == 0 ? answer : .performDefaultHandling
        }
        return await world.data("/basic?user=user&pass=pass")
    }

    private let credential = URLCredential(
        user: "user", password: "pass", persistence: .none)

    @Test(arguments: SessionTransport.both)
    func `UM-18.1 a handler may answer itself, later and from elsewhere`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
        world.manager.setAuthenticationChallengeHandler { [credential] _, _, _, answer in
            DispatchQueue.global().async { answer(.useCredential, credential) }
            return .handlerAnswers
        }
        #expect(await world.data("/basic?user=user&pass=pass").text == "authorized")
    }

    @Test(arguments: SessionTransport.both)
    func `UM-18.2 an error cancels and is what the task reports`(_ transport: SessionTransport)
        async
    {
        world.use(transport)
        struct Mine: Error {}
        #expect(await basic(.fail(Mine())).error is Mine)
    }

    @Test(arguments: SessionTransport.both)
    func `UM-18.3 a credential is used`(_ transport: SessionTransport) async {
        world.use(transport)
        #expect(await basic(.use(credential)).text == "authorized")
    }

    @Test(arguments: SessionTransport.both)
    func
        `UM-18.4 default handling gives the 401, cancelling cancels, and so does rejecting to Foundation`(
            _ transport: SessionTransport
        ) async
    {
        world.use(transport)
        #expect(await basic(.performDefaultHandling).status == 401)
        #expect((await basic(.cancel).error as? URLError)?.code == .cancelled)
        let rejected = await basic(.rejectProtectionSpace)
        switch transport {
        case .foundation: #expect((rejected.error as? URLError)?.code == .cancelled)
        // There is no other space to try.
        case .connection: #expect(rejected.status == 401)
        }
    }

    @Test(arguments: SessionTransport.both)
    func `an answer that comes twice, late, or with no credential stops no process`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
        let kept = Log<@Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void>()
        world.manager.setAuthenticationChallengeHandler { _, _, _, answer in
            kept.add(answer)
            return .handlerAnswers
        }
        let (task, log) = world.dataTask(world.request("/basic"))
        task.resume()
        #expect(await kept.reaches(1))
        task.cancel()
        #expect(await log.reaches(1))
        kept.all[0](.performDefaultHandling, nil)
        kept.all[0](.useCredential, nil)
        world.manager.setAuthenticationChallengeHandler { _, _, _, answer in
            answer(.useCredential, nil)
            answer(.useCredential, nil)
            return .performDefaultHandling
        }
        #expect(await world.data("/basic").status == 401)
    }

    @Test(arguments: ["/basic?user=user&pass=pass", "/digest-auth/auth/user/pass"])
    func `UM-18.3 a login costs two requests`(path: String) async {
        world.use(.connection)
        world.manager.setAuthenticationChallengeHandler { [credential] _, _, _, _ in
            .use(credential)
        }
        #expect(await world.data(path).status == 200)
        #expect(world.server.requests.count == 2)
    }

    @Test
    func `LX-12 a 401 for Digest is the answer`() async {
        world.use(.foundation)
        world.manager.setAuthenticationChallengeHandler { [credential] _, _, _, _ in
            .use(credential)
        }
        #expect(await world.data("/digest-auth/auth/user/pass").status == 401)
    }

    // MARK: - Trust

    private var strictPolicies: [(SecurityPolicy, String)] {
        func policy(_ change: (SecurityPolicy) -> Void) -> SecurityPolicy {
            let policy = SecurityPolicy.default()
            change(policy)
            return policy
        }
        return [
            (SecurityPolicy(pinningMode: .certificate), "pinning"),
            (SecurityPolicy(pinningMode: .publicKey), "pinning"),
            (policy { $0.allowInvalidCertificates = true }, "allowInvalidCertificates"),
            (policy { $0.validatesDomainName = false }, "validatesDomainName = false"),
            (policy { $0.anchorCertificates = [] }, "anchorCertificates"),
            (policy { $0.verificationTime = Date() }, "verificationTime"),
        ]
    }

    @Test
    func `UM-19 LX-13 an https task under a policy that cannot be kept fails before a connection`()
        async throws
    {
        world.use(.foundation)
        let https = LoopbackServer.started(tls: nil)
        defer { https.stop() }
        let url = try #require(URL(string: "https://127.0.0.1:\(https.port)/"))
        for (policy, what) in strictPolicies {
            world.manager.securityPolicy = policy
            let outcome = await world.data(URLRequest(url: url))
            #expect(outcome.error as? SessionError == .securityPolicyNotHonoured(what))
        }
        #expect(https.statistics.connectionsAccepted == 0)
    }

    @Test
    func `UM-19 a policy set before resume counts, though it came after the task was made`()
        async throws
    {
        world.use(.foundation)
        let url = try #require(URL(string: "https://127.0.0.1:\(world.server.port)/"))
        let (task, log) = world.dataTask(URLRequest(url: url))
        world.manager.securityPolicy = SecurityPolicy(pinningMode: .certificate)
        task.resume()
        #expect(await log.reaches(1))
        #expect(log.all.first?.error as? SessionError == .securityPolicyNotHonoured("pinning"))
        #expect(world.server.statistics.connectionsAccepted == 0)
    }

    @Test
    func `UM-19 a redirect to https under such a policy is refused; http is left alone`()
        async throws
    {
        world.use(.foundation)
        let https = LoopbackServer.started()
        defer { https.stop() }
        world.manager.securityPolicy = SecurityPolicy(pinningMode: .certificate)
        #expect(await world.data("/ok").status == 200)
        let outcome = await world.data("/redirect?to=https://127.0.0.1:\(https.port)/ok")
        #expect(outcome.error as? SessionError == .securityPolicyNotHonoured("pinning"))
        #expect(https.statistics.connectionsAccepted == 0)
    }

    @Test
    func `UM-17 a session challenge block makes https fail, since it would never be asked`()
        async throws
    {
        world.use(.foundation)
        world.manager.setSessionDidReceiveAuthenticationChallenge { _, _ in
            (.cancelAuthenticationChallenge, nil)
        }
        let url = try #require(URL(string: "https://127.0.0.1:\(world.server.port)/"))
        let outcome = await world.data(URLRequest(url: url))
        #expect(outcome.error as? SessionError == .challengeBlockNeverAsked)
        #expect(await world.data("/ok").status == 200)
    }

    @Test(arguments: SessionTransport.both)
    func `UM-19 under the default policy libcurl refuses a server of an unknown authority`(
        _ transport: SessionTransport
    )
        async throws
    {
        world.use(transport)
        let cast = try Cast()
        let server = LoopbackServer.started(tls: TLSSettings(cast.good))
        defer { server.stop() }
        let outcome = await world.data(URLRequest(url: server.url("/ok")))
        #expect(outcome.error is URLError)
        #expect(server.requests.isEmpty)
    }

    // MARK: - Redirects

    @Test(arguments: SessionTransport.both)
    func `UM-20 the block changes the request, or takes the redirect as the answer`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
        world.manager.setTaskWillPerformHTTPRedirectionBlock { [world] _, _, response, _ in
            #expect((response as? HTTPURLResponse)?.statusCode == 302)
            return world.request("/text?value=changed")
        }
        #expect(await world.data("/redirect?to=/ok").text == "changed")
        world.manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _, _ in nil }
        let kept = await world.data("/redirect?to=/ok")
        #expect(kept.status == 302)
        world.manager.setTaskWillPerformHTTPRedirectionBlock(nil)
        #expect(await world.data("/redirect?to=/ok").text == "hello world")
    }

    /// What the other origin saw of the three fields.
    private func leaked(to host: String) async -> [String?] {
        var request = world.request(
            "/redirect?to=http://\(host):\(world.server.port)/headers")
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        request.setValue("a=secret", forHTTPHeaderField: "Cookie")
        request.setValue("secret", forHTTPHeaderField: "Proxy-Authorization")
        request.setValue("kept", forHTTPHeaderField: "X-Kept")
        _ = await world.data(request)
        let fields = world.server.requests.last?.headers
        #expect(fields?["X-Kept"] == "kept")
        return [fields?["Authorization"], fields?["Cookie"], fields?["Proxy-Authorization"]]
    }

    /// What an origin sees of a login for a proxy: `URLConnection` never sends one there.
    private func proxyLogin(_ transport: SessionTransport, _ value: String) -> String? {
        transport == .foundation ? value : nil
    }

    @Test(arguments: SessionTransport.both)
    func
        `LX-11 UM-20 a redirect to another origin takes no credentials along, to one's own it does`(
            _ transport: SessionTransport
        )
        async
    {
        world.use(transport)
        #expect(await leaked(to: "localhost") == [nil, nil, nil])
        #expect(
            await leaked(to: "127.0.0.1") == [
                "secret", "a=secret", proxyLogin(transport, "secret"),
            ])
    }

    @Test(arguments: SessionTransport.both)
    func `LX-11 the opt-out sends them`(_ transport: SessionTransport) async {
        world.use(transport)
        world.manager.forwardsCredentialsToOtherOrigins = true
        #expect(
            await leaked(to: "localhost") == [
                "secret", "a=secret", proxyLogin(transport, "secret"),
            ])
    }

    @Test(arguments: SessionTransport.both)
    func `LX-11 nor does it those of the configuration, which one's own origin gets`(
        _ transport: SessionTransport
    ) async throws {
        world.use(transport)
        let world = TestWorld(transport) {
            $0.httpAdditionalHeaders = [
                "authorization": "session", "Cookie": "a=session", "Proxy-Authorization": "session",
                "X-Kept": "kept",
            ]
        }
        func sent(to host: String, own: String? = nil) async -> [String?] {
            var request = world.request(
                "/redirect?to=http://\(host):\(world.server.port)/headers")
            if let own { request.setValue(own, forHTTPHeaderField: "Authorization") }
            _ = await world.data(request)
            return world.server.requests.suffix(2).flatMap { request in
                let fields = request.headers
                #expect(fields["X-Kept"] == "kept")
                return ["Authorization", "Cookie", "Proxy-Authorization"].map { name in fields[name]
                }
            }
        }
        let login = proxyLogin(transport, "session")
        let all = ["session", "a=session", login]
        #expect(await sent(to: "localhost") == all + [nil, nil, nil])
        #expect(await sent(to: "127.0.0.1") == all + all)
        let mixed = ["own", "a=session", login]
        #expect(await sent(to: "127.0.0.1", own: "own") == mixed + mixed)
        world.manager.forwardsCredentialsToOtherOrigins = true
        #expect(await sent(to: "localhost") == all + all)
    }

    @Test
    func `a redirect that asks for the body again fails: Foundation would send none`() async {
        world.use(.foundation)
        let body = Data("body".utf8)
        for status in [307, 308] {
            let outcome = await world.outcome {
                world.manager.uploadTask(
                    with: world.request("/redirect?to=/upload&status=\(status)", "POST"),
                    from: body, completionHandler: $0)
            }
            #expect(outcome.error as? SessionError == .bodyLostInRedirect)
        }
        let changed = await world.outcome {
            world.manager.uploadTask(
                with: world.request("/redirect?to=/ok&status=303", "POST"), from: body,
                completionHandler: $0)
        }
        #expect(changed.text == "hello world")
    }

    @Test(arguments: SessionTransport.both)
    func `cancelling while a redirect is decided stops no process`(_ transport: SessionTransport)
        async
    {
        world.use(transport)
        world.manager.setTaskWillPerformHTTPRedirectionBlock { _, task, _, request in
            task.cancel()
            return request
        }
        for _ in 0..<10 {
            let outcome = await world.data("/redirect-chain?n=3")
            #expect((outcome.error as? URLError)?.code == .cancelled)
        }
        world.manager.setTaskWillPerformHTTPRedirectionBlock { _, task, _, request in
            task.suspend()
            task.resume()
            return request
        }
        world.manager.setTaskDidComplete(nil)
        let task = world.manager.dataTask(with: world.request("/redirect-loop"))
        task.resume()
        world.manager.session.invalidateAndCancel()
    }

    @Test(arguments: SessionTransport.both)
    func `LX-10 twenty redirects are the limit`(_ transport: SessionTransport) async {
        world.use(transport)
        let outcome = await world.data("/redirect-loop")
        #expect((outcome.error as? URLError)?.code == .httpTooManyRedirects)
    }
}
