import CurlConnection
import OperationNetworking
import SessionEra
import TLSPeer
import TestSupport

@Suite(
    "Challenges, trust and redirects: UM-17 to UM-20, LX-11 to LX-13",
    .timeLimit(.minutes(1)))
struct DecisionTests {
    private let world = TestWorld.sessions()

    // MARK: - Challenges

    private func basic(_ answer: AuthenticationChallengeAnswer) async -> Outcome {
        world.manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            challenge.previousFailureCount == 0 ? answer : .performDefaultHandling
        }
        return await world.data("/basic?user=user&pass=pass")
    }

    private let credential = URLCredential(
        user: "user", password: "pass", persistence: .none)

    @Test func `UM-18.1 a handler may answer itself, later and from elsewhere`() async {
        world.manager.setAuthenticationChallengeHandler { [credential] _, _, _, answer in
            DispatchQueue.global().async { answer(.useCredential, credential) }
            return .handlerAnswers
        }
        #expect(await world.data("/basic?user=user&pass=pass").text == "authorized")
    }

    @Test func `UM-18.2 an error cancels and is what the task reports`()
        async
    {
        struct Mine: Error {}
        #expect(await basic(.fail(Mine())).error is Mine)
    }

    @Test func `UM-18.3 a credential is used`() async {
        #expect(await basic(.use(credential)).text == "authorized")
    }

    @Test
    func
        `UM-18.4 default handling gives the 401, cancelling cancels, and rejecting leaves no space to try`()
        async
    {
        #expect(await basic(.performDefaultHandling).status == 401)
        #expect((await basic(.cancel).error as? URLError)?.code == .cancelled)
        let rejected = await basic(.rejectProtectionSpace)
        #expect(rejected.status == 401)
    }

    @Test func `an answer that comes twice, late, or with no credential stops no process`() async {
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
        world.manager.setAuthenticationChallengeHandler { [credential] _, _, _, _ in
            .use(credential)
        }
        #expect(await world.data(path).status == 200)
        #expect(world.server.requests.count == 2)
    }

    // MARK: - Trust

    @Test func `UM-19 under the default policy libcurl refuses a server of an unknown authority`()
        async throws
    {
        let cast = try Cast()
        let server = LoopbackServer.started(tls: TLSSettings(cast.good))
        defer { server.stop() }
        let outcome = await world.data(URLRequest(url: server.url("/ok")))
        #expect(outcome.error is URLError)
        #expect(server.requests.isEmpty)
    }

    // MARK: - Redirects

    @Test func `UM-20 the block changes the request, or takes the redirect as the answer`() async {
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

    @Test
    func
        `LX-11 UM-20 a redirect to another origin takes no credentials along, to one's own it does`()
        async
    {
        #expect(await leaked(to: "localhost") == [nil, nil, nil])
        #expect(
            await leaked(to: "127.0.0.1") == [
                "secret", "a=secret", nil,
            ])
    }

    @Test func `LX-11 the opt-out sends them`() async {
        world.manager.forwardsCredentialsToOtherOrigins = true
        #expect(
            await leaked(to: "localhost") == [
                "secret", "a=secret", nil,
            ])
    }

    @Test func `LX-11 nor does it those of the configuration, which one's own origin gets`()
        async throws
    {
        let world = TestWorld.sessions {
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
        // A login for a proxy is never sent to an origin.
        let all = ["session", "a=session", nil]
        #expect(await sent(to: "localhost") == all + [nil, nil, nil])
        #expect(await sent(to: "127.0.0.1") == all + all)
        let mixed = ["own", "a=session", nil]
        #expect(await sent(to: "127.0.0.1", own: "own") == mixed + mixed)
        world.manager.forwardsCredentialsToOtherOrigins = true
        #expect(await sent(to: "localhost") == all + all)
    }

    @Test func `cancelling while a redirect is decided stops no process`()
        async
    {
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

    @Test func `LX-10 twenty redirects are the limit`() async {
        let outcome = await world.data("/redirect-loop")
        #expect((outcome.error as? URLError)?.code == .httpTooManyRedirects)
    }
}
