import SessionTasks
import TestSupport

@testable import RequestEra

/// `SessionManagerTests` of 4.9.1, each under the original's name without `test` or `testThat`.
@Suite("SessionManagerTests", .timeLimit(.minutes(2)))
struct OriginalSessionManagerTests {
    private func session(_ delegate: SessionDelegate?) -> URLSession {
        URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    }

    @Test func `InitializerWithDefaultArguments`() {
        let manager = SessionManager()
        #expect(manager.session.delegate === manager.delegate)
        #expect(manager.delegate.state.withLock { $0.policies } == nil)
        #expect(manager.startRequestsImmediately && manager.retrier == nil)
        #expect(manager.session === manager.request("http://[::1").session)
    }

    @Test func `InitializerWithSpecifiedArguments`() {
        let delegate = SessionDelegate()
        let policies = ServerTrustPolicyManager(policies: [:])
        let manager = SessionManager(
            configuration: .default, delegate: delegate, serverTrustPolicyManager: policies)
        #expect(manager.delegate === delegate)
        #expect(delegate.state.withLock { $0.policies } === policies)
    }

    @Test func `FailableInitializerSucceedsWithDefaultArguments`() {
        let delegate = SessionDelegate()
        let session = session(delegate)
        defer { session.invalidateAndCancel() }
        let manager = SessionManager(session: session, delegate: delegate)
        #expect(manager?.delegate === manager?.session.delegate)
        #expect(manager?.delegate === delegate && manager?.session === session)
        #expect(delegate.state.withLock { $0.policies } == nil)
    }

    @Test func `FailableInitializerSucceedsWithSpecifiedArguments`() {
        let delegate = SessionDelegate()
        let session = session(delegate)
        defer { session.invalidateAndCancel() }
        let policies = ServerTrustPolicyManager(policies: [:])
        let manager = SessionManager(
            session: session, delegate: delegate, serverTrustPolicyManager: policies)
        #expect(manager?.delegate === delegate && manager?.session.delegate === delegate)
        #expect(delegate.state.withLock { $0.policies } === policies)
    }

    @Test func `FailableInitializerFailsWithWhenDelegateDoesNotEqualSessionDelegate`() {
        let session = session(SessionDelegate())
        defer { session.invalidateAndCancel() }
        #expect(SessionManager(session: session, delegate: SessionDelegate()) == nil)
    }

    @Test func `FailableInitializerFailsWhenSessionDelegateIsNil`() {
        let session = session(nil)
        defer { session.invalidateAndCancel() }
        #expect(SessionManager(session: session, delegate: SessionDelegate()) == nil)
    }

    @Test func `DefaultUserAgentHeader`() {
        let agent = SessionManager.defaultHTTPHeaders["User-Agent"] ?? ""
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let numbers = "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        #expect(agent.contains("Alamofire/4.9.1") && agent.contains("Linux \(numbers)"))
    }

    @Test func `ReleasingManagerWithPendingRequestDeinitializesSuccessfully`() throws {
        let world = TestWorld.requests()
        var manager: SessionManager? = SessionManager(configuration: .ephemeral)
        manager?.startRequestsImmediately = false
        let request = manager?.request(world.address("/get"))
        manager = nil
        #expect(request?.task?.state == .suspended)
    }

    @Test func `ReleasingManagerWithPendingCanceledRequestDeinitializesSuccessfully`() throws {
        let world = TestWorld.requests()
        var manager: SessionManager? = SessionManager(configuration: .ephemeral)
        manager?.startRequestsImmediately = false
        let request = manager?.request(world.address("/get"))
        request?.cancel()
        manager = nil
        #expect(request?.task?.state == .canceling || request?.task?.state == .completed)
    }

    // MARK: Bad requests

    private let bad = "http://[::1"

    private func isBadURL(_ error: (any Error)?) -> Bool {
        (error as? AFError)?.isInvalidURLError == true
            && (error as? AFError)?.urlConvertible as? String == bad
    }

    @Test func `DownloadRequestWithInvalidURLStringThrowsResponseHandlerError`() async throws {
        let response = await SessionManager.default.download(bad).ended()
        #expect(response.request == nil && response.temporaryURL == nil)
        #expect(response.destinationURL == nil && response.resumeData == nil)
        #expect(isBadURL(response.error))
    }

    @Test func `UploadFileRequestWithInvalidURLStringThrowsResponseHandlerError`() async {
        let file = URL(fileURLWithPath: "/invalid")
        #expect(await isBadURL(SessionManager.default.upload(file, to: bad).ended().error))
    }

    @Test func `UploadStreamRequestWithInvalidURLStringThrowsResponseHandlerError`() async {
        let stream = InputStream(data: Data())
        #expect(await isBadURL(SessionManager.default.upload(stream, to: bad).ended().error))
    }

    // MARK: Adapter

    /// Gives another method to what comes through.
    private func adapted(_ make: (SessionManager, String) -> Request) throws {
        let world = TestWorld.requests()
        world.manager.startRequestsImmediately = false
        world.manager.adapter = Adapter { request in
            var request = request
            request.httpMethod = HTTPMethod.put.rawValue
            return request
        }
        let request = make(world.manager, world.address("/get"))
        #expect(request.task?.originalRequest?.httpMethod == "PUT")
    }

    @Test func `SessionManagerCallsRequestAdapterWhenCreatingDataRequest`() throws {
        try adapted { $0.request($1) }
    }

    @Test func `SessionManagerCallsRequestAdapterWhenCreatingDownloadRequest`() throws {
        try adapted { $0.download($1) }
    }

    @Test func `SessionManagerCallsRequestAdapterWhenCreatingUploadRequestWithData`() throws {
        try adapted { $0.upload(Data("data".utf8), to: $1) }
    }

    @Test func `SessionManagerCallsRequestAdapterWhenCreatingUploadRequestWithFile`() throws {
        let file = URL(fileURLWithPath: "/path/to/some/file.txt")
        try adapted { $0.upload(file, to: $1) }
    }

    @Test func `SessionManagerCallsRequestAdapterWhenCreatingUploadRequestWithInputStream`() throws
    {
        try adapted { $0.upload(InputStream(data: Data("data".utf8)), to: $1) }
    }

    // MARK: Retrier

    @Test func `SessionManagerCallsRequestRetrierWhenUploadInitiallyEncountersAdaptError`()
        async throws
    {
        let world = TestWorld.requests()
        let calls = Log<Bool>()
        world.manager.adapter = Adapter { request in
            calls.add(true)
            if calls.all.count == 1 { throw AFError.invalidURL(url: "") }
            return request
        }
        world.manager.retrier = Retrier.upTo(1)
        let request = world.manager.upload(Data("upload data".utf8), to: world.address("/post"))
        #expect(await request.validate().json().result.isSuccess)
        #expect(calls.all.count == 2 && request.retryCount == 1)
        #expect(world.delegate.taskCount == 0)
    }

    // MARK: Headers of a configuration

    private func headers(_ configuration: URLSessionConfiguration) async throws {
        let world = TestWorld.requests()
        var fields = SessionManager.defaultHTTPHeaders
        fields["Authorization"] = "Bearer 123456"
        configuration.httpAdditionalHeaders = fields
        let manager = SessionManager(configuration: configuration)
        let response = await manager.request(world.address("/headers")).object()
        let seen = response["headers"] as? [String: String]
        #expect(seen?["Authorization"] == "Bearer 123456")
        withExtendedLifetime(manager) {}
    }

    @Test func `DefaultConfigurationHeadersAreSentWithRequest`() async throws {
        try await headers(.default)
    }

    @Test func `EphemeralConfigurationHeadersAreSentWithRequest`() async throws {
        try await headers(.ephemeral)
    }
}
