import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("What a caller gave away and is replaced", .timeLimit(.minutes(1)))
struct ReplacedValueTests {
    /// Cancels a request as it goes; an error as well.
    private final class Canceller: Error, Sendable {
        let request: Locked<Request?>
        let gone: Signal

        init(_ request: Request, _ gone: Signal) {
            self.request = Locked(request)
            self.gone = gone
        }

        func touch() {}

        deinit {
            request.withLock { $0 }?.cancel()
            gone.fire()
        }
    }

    private final class Credential: URLCredential, @unchecked Sendable {
        // @unchecked because it is constant.
        let canceller: Canceller

        init(_ canceller: Canceller) {
            self.canceller = canceller
            super.init(user: "u", password: "p", persistence: .none)
        }

        required init?(coder: NSCoder) { nil }
    }

    @Test func `a deinit may call the request: none runs under its lock`() async throws {
        let world = TestWorld.requests()
        world.server.add("/held") { _ in ScriptedResponse([.wait(gate: "held")]) }
        let data = world.get("/held")
        let upload = world.manager.upload(Data(), to: world.address("/held"))
        let download = world.manager.download(world.address("/held"))
        let gone = Signal()
        let isDone = await onNewThread {
            for request in [data, upload] {
                Self.stream(request, Canceller(request, gone))
                request.stream()
                Self.follow(request, Canceller(request, gone))
                request.downloadProgress { _ in }
            }
            Self.send(upload, Canceller(upload, gone))
            upload.uploadProgress { _ in }
            Self.follow(download, Canceller(download, gone))
            download.downloadProgress { _ in }
            data.authenticate(usingCredential: Credential(Canceller(data, gone)))
            data.authenticate(user: "v", password: "p")
            data.delegate.error = Canceller(data, gone)
            data.delegate.error = nil
            return true
        }
        #expect(isDone && gone.count == 8)
    }

    private static func stream(_ request: DataRequest, _ canceller: Canceller) {
        request.stream { _ in canceller.touch() }
    }

    private static func follow(_ request: DataRequest, _ canceller: Canceller) {
        request.downloadProgress { _ in canceller.touch() }
    }

    private static func follow(_ request: DownloadRequest, _ canceller: Canceller) {
        request.downloadProgress { _ in canceller.touch() }
    }

    private static func send(_ request: UploadRequest, _ canceller: Canceller) {
        request.uploadProgress { _ in canceller.touch() }
    }

    @Test func `an error that a retry lets go of may cancel the request`() async throws {
        let world = TestWorld.requests()
        let gone = Signal()
        world.manager.retrier = Retrier { request, _, completion in
            completion(request.retryCount == 0, 0)
        }
        let request = world.get("/ok")
        request.validate { [weak request] _, _, _ in
            guard let request, request.retryCount == 0 else { return .success }
            return .failure(Canceller(request, gone))
        }
        _ = await request.ended()
        await gone.wait()
    }
}
