import OperationNetworking
import SessionEra
import TestSupport

/// AFHTTPSessionManagerTests of AFNetworking 4.0.1: tasks, downloads and progress.
@Suite("Originals: transfers of the HTTP manager", .timeLimit(.minutes(1)))
struct OriginalTransferTests {
    private let world = TestWorld.httpbin()
    private var manager: HTTPSessionManager { world.httpManager }
    private let payload = String(repeating: "AFNetworking", count: 1_700)

    @Test func sharedManagerIsNotEqualToInitedManager() {
        #expect(HTTPSessionManager() != manager)
    }

    // MARK: Data tasks

    private struct End: Sendable {
        var state: URLSessionTask.State
        var hasObject: Bool
        var error: NSError?
    }

    private func end(_ path: String) async -> End {
        let tasks = Tasks()
        let (hasObject, error): (Bool, NSError?) = await outcome { finish in
            let task = manager.dataTask(
                with: world.request(path),
                completionHandler: { finish(($1 != nil, $2.map { $0 as NSError })) })
            tasks.task = task
            task.resume()
        }
        return End(
            state: tasks.task?.state ?? .suspended, hasObject: hasObject, error: error)
    }

    @Test func operationInvokesCompletionHandlerWithResponseObjectOnSuccess()
        async
    {
        let end = await end("/get")
        #expect(end.state == .completed)
        #expect(end.error == nil)
        #expect(end.hasObject)
    }

    @Test func operationInvokesFailureCompletionBlockWithErrorOnFailure()
        async
    {
        let end = await end("/status/404")
        #expect(end.state == .completed)
        #expect(end.error?.code == NSURLErrorBadServerResponse)
    }

    @Test func redirectBlockIsCalledWhen302IsEncountered() async {
        let asked = Flag()
        manager.setTaskWillPerformHTTPRedirectionBlock { _, _, response, request in
            if (response as? HTTPURLResponse)?.statusCode == 302 { asked.raise() }
            return request
        }
        let end = await end("/redirect/1")
        #expect(end.state == .completed)
        #expect(end.error == nil)
        #expect(asked.isUp)
        #expect(world.server.requests.map(\.path) == ["/redirect/1", "/get"])
    }

    // MARK: Downloads

    private func download(_ destination: URLSessionManager.Destination?) async -> (URL?, NSError?) {
        await outcome { finish in
            manager.downloadTask(
                with: world.request("/json"), destination: destination,
                completionHandler: { finish(($1, $2.map { $0 as NSError })) }
            ).resume()
        }
    }

    @Test func downloadFileCompletionSpecifiesURLInCompletionWithManagerDidFinishBlock() async {
        let target = world.file("t1.file")
        let asked = Flag()
        manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in
            asked.raise()
            return target
        }
        let (file, error) = await download(nil)
        #expect(asked.isUp)
        #expect(error == nil)
        #expect(file == target)
        #expect(FileManager.default.fileExists(atPath: target.path))
    }

    @Test func downloadFileCompletionSpecifiesURLInCompletionBlock() async {
        let target = world.file("t1.file")
        let asked = Flag()
        let (file, error) = await download { _, _ in
            asked.raise()
            return target
        }
        #expect(asked.isUp)
        #expect(error == nil)
        #expect(file == target)
        #expect(FileManager.default.fileExists(atPath: target.path))
    }

    // MARK: Progress

    @Test func downloadProgressIsReportedForGET() async {
        let isWhole = await outcome { (finish: @escaping @Sendable (Bool) -> Void) in
            let whole = Flag()
            manager.responseSerializer = HTTPResponseSerializer()
            manager.get(
                "bytes/200000",
                progress: { if $0.fractionCompleted == 1 { whole.raise() } },
                success: { _, _ in finish(whole.isUp) }, failure: { _, _ in finish(false) })
        }
        #expect(isWhole)
    }

    @Test func uploadProgressIsReportedForPOST() async {
        let isWhole = await outcome { (finish: @escaping @Sendable (Bool) -> Void) in
            let whole = Flag()
            manager.post(
                "post", parameters: payload,
                progress: { if $0.fractionCompleted == 1 { whole.raise() } },
                success: { _, _ in finish(whole.isUp) }, failure: { _, _ in finish(false) })
        }
        #expect(isWhole)
    }

    @Test func uploadProgressIsReportedForStreamingPost() async {
        let isWhole = await outcome { (finish: @escaping @Sendable (Bool) -> Void) in
            let whole = Flag()
            manager.post(
                "post",
                constructingBodyWith: { form in
                    form.appendPart(
                        fileData: Data(payload.utf8), name: "AFNetworking",
                        fileName: "AFNetworking", mimeType: "text/html")
                },
                progress: { if $0.fractionCompleted == 1 { whole.raise() } },
                success: { _, _ in finish(whole.isUp) }, failure: { _, _ in finish(false) })
        }
        #expect(isWhole)
    }
}

/// Something that happened, seen from any thread.
final class Flag: @unchecked Sendable {
    // @unchecked because `value` is only touched under `lock`.
    private let lock = NSLock()
    private var value = false

    var isUp: Bool { lock.withLock { value } }
    func raise() { lock.withLock { value = true } }
}

/// A task that a handler's test looks at afterwards.
private final class Tasks: @unchecked Sendable {
    // @unchecked because it is written before the task runs and read after its end.
    var task: SessionTask?
}
