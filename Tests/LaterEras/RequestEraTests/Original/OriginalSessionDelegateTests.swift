import SessionTasks
import TLSPeer
import TestSupport

@testable import RequestEra

/// `SessionDelegateTests` of 4.9.1, each under the original's name without `test` or `testThat`.
@Suite("SessionDelegateTests", .timeLimit(.minutes(2)))
struct OriginalSessionDelegateTests {
    @Test func `SessionDidBecomeInvalidWithErrorClosureIsCalledWhenSet`() async throws {
        let world = TestWorld.requests()
        let called = Signal()
        world.delegate.sessionDidBecomeInvalidWithError = { _, _ in called.fire() }
        world.manager.session.invalidateAndCancel()
        await called.wait()
    }

    /// A request over TLS whose session is asked about the server's trust.
    private func challenged(_ set: (SessionDelegate, Signal) -> Void) async throws {
        let cast = try TrustCast()
        let leaf = try Identity(Identity.Form("leaf", names: Cast.names), signedBy: cast.ca2)
        let server = try TLSServer(
            TLSServer.Settings(leaf, chain: [cast.ca2, cast.root].map(\.certificate)))
        let manager = SessionManager(configuration: .ephemeral)
        let called = Signal()
        set(manager.delegate, called)
        let response = await manager.request("https://localhost:\(server.port)/").ended()
        // Default handling does not trust it.
        #expect(response.error != nil && called.count == 1)
        withExtendedLifetime(server) {}
    }

    @Test func `SessionDidReceiveChallengeClosureIsCalledWhenSet`() async throws {
        try await challenged { delegate, called in
            delegate.sessionDidReceiveChallenge = { _, _ in
                called.fire()
                return (.performDefaultHandling, nil)
            }
        }
    }

    @Test func `SessionDidReceiveChallengeWithCompletionClosureIsCalledWhenSet`() async throws {
        try await challenged { delegate, called in
            delegate.sessionDidReceiveChallengeWithCompletion = { _, _, completion in
                called.fire()
                completion(.performDefaultHandling, nil)
            }
        }
    }

    // MARK: Redirects

    private func world() throws -> TestWorld {
        let world = TestWorld.requests()
        for hop in 1...3 {
            world.server.add("/hop/\(hop)") { _ in
                .redirect(to: hop == 3 ? "/get" : "/hop/\(hop + 1)")
            }
        }
        return world
    }

    @Test func `RequestWillPerformRedirectionMultipleTimesByDefault`() async throws {
        let world = try world()
        let response = await world.get("/hop/1").ended()
        #expect(response.response?.url?.path == "/get" && world.server.requests.count == 4)
    }

    @Test func `TaskOverrideClosureWithCompletionCanPerformHTTPRedirection`() async throws {
        let world = try world()
        let url = URL(string: world.address("/ok"))
        world.delegate.taskWillPerformHTTPRedirectionWithCompletion = {
            _, _, _, request, completion in
            var request = request
            request.url = url
            completion(request)
        }
        let response = await world.get("/hop/3").ended()
        #expect(response.response?.url?.path == "/ok" && response.error == nil)
    }

    @Test func `TaskOverrideClosureWithCompletionCanCancelHTTPRedirection`() async throws {
        let world = try world()
        world.delegate.taskWillPerformHTTPRedirectionWithCompletion = { _, _, _, _, completion in
            completion(nil)
        }
        let response = await world.get("/hop/3").ended()
        #expect(response.response?.statusCode == 302 && response.error == nil)
        #expect(world.server.requests.count == 1)
    }

    @Test
    func `TaskOverrideClosureWithCompletionIsCalledMultipleTimesForMultipleHTTPRedirects`()
        async throws
    {
        let world = try world()
        let called = Signal()
        world.delegate.taskWillPerformHTTPRedirectionWithCompletion = {
            _, _, _, request, completion in
            called.fire()
            completion(request)
        }
        let response = await world.get("/hop/1").ended()
        #expect(response.response?.url?.path == "/get" && called.count == 3)
    }

    @Test func `RedirectedRequestContainsAllHeadersFromOriginalRequest`() async throws {
        let world = try world()
        world.delegate.taskWillPerformHTTPRedirection = { _, task, _, request in
            var request = request
            let value = task.originalRequest?.value(forHTTPHeaderField: "Authorization")
            request.setValue(value, forHTTPHeaderField: "Authorization")
            return request
        }
        let headers = ["Authorization": "1234", "Custom-Header": "foobar"]
        let seen = await world.get("/hop/3", headers: headers).object()["headers"]
        let fields = try #require(seen as? [String: String])
        #expect(fields["Authorization"] == "1234" && fields["Custom-Header"] == "foobar")
    }

    // MARK: Notifications

    private func posted(_ make: (TestWorld) -> Request) async throws -> Notification? {
        let world = try world()
        let notes = Watched<[Given<Notification>]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: Notification.Name.Task.DidComplete, object: world.delegate, queue: nil
        ) { note in
            let given = Given(value: note)
            notes.change { $0.append(given) }
        }
        let request = make(world)
        await notes.wait(until: "the notification") { !$0.isEmpty }
        NotificationCenter.default.removeObserver(observer)
        #expect(
            notes.now.first?.value.userInfo?[Notification.Key.Task] as? SessionTask === request.task
        )
        return notes.now.first?.value
    }

    @Test func `DidCompleteNotificationIsCalledWithResponseDataForDataTasks`() async throws {
        let note = try await posted { $0.get("/ok") }
        let data = note?.userInfo?[Notification.Key.ResponseData] as? Data
        #expect(data == Data("hello world".utf8))
    }

    @Test func `DidCompleteNotificationIsntCalledForDownloadTasks`() async throws {
        let note = try await posted { $0.manager.download($0.address("/ok")) }
        #expect(note?.userInfo?[Notification.Key.ResponseData] == nil)
    }
}
