import CurlConnection
import SessionEra
import TestSupport

/// AFURLSessionManagerTests of AFNetworking 4.0.1.
@Suite("Originals: the URL session manager", .timeLimit(.minutes(1)))
struct OriginalURLSessionManagerTests {
    private let world = TestWorld.httpbin()
    private var manager: URLSessionManager { world.urlManager }
    private let payload = Data(String(repeating: "AFNetworking", count: 1_700).utf8)

    // MARK: Progress

    /// Runs a task and tells whether its progress block saw the whole before its handler came.
    private func reaches1<Task: SessionTask>(
        _ make: (@escaping URLSessionManager.ProgressBlock, @escaping @Sendable () -> Void) -> Task
    ) async -> Bool {
        await outcome { finish in
            let whole = Flag()
            make({ if $0.fractionCompleted == 1 { whole.raise() } }, { finish(whole.isUp) })
                .resume()
        }
    }

    @Test func dataTaskDoesReportDownloadProgress() async {
        #expect(
            await reaches1 { progress, done in
                manager.dataTask(
                    with: world.request("/bytes/200000"), downloadProgress: progress,
                    completionHandler: { _, _, _ in done() })
            })
    }

    @Test func downloadTaskDoesReportProgress() async {
        #expect(
            await reaches1 { progress, done in
                manager.downloadTask(
                    with: world.request("/bytes/200000"), progress: progress,
                    completionHandler: { _, _, _ in done() })
            })
    }

    @Test func uploadTaskDoesReportProgress() async {
        #expect(
            await reaches1 { progress, done in
                manager.uploadTask(
                    with: world.request("/post", "POST"), from: payload,
                    progress: progress, completionHandler: { _, _, _ in done() })
            })
    }

    /// The manager's progress of a task before its start, and its fraction after the end.
    private func fractions<Task: SessionTask>(
        _ progress: (Task) -> Progress?, _ make: (@escaping @Sendable () -> Void) -> Task
    ) async -> [Double?] {
        let seen = Seen()
        await outcome { finish in
            let task = make { finish(()) }
            seen.progress = progress(task)
            seen.first = seen.progress?.fractionCompleted
            task.resume()
        }
        return [seen.first, seen.progress?.fractionCompleted]
    }

    @Test func dataTaskDownloadProgressCanBeKVOd() async {
        let fractions = await fractions(manager.downloadProgress(for:)) { done in
            manager.dataTask(
                with: world.request("/bytes/200000"), completionHandler: { _, _, _ in done() })
        }
        #expect(fractions == [0, 1])
    }

    @Test func uploadProgressCanBeKVOd() async {
        let fractions = await fractions(manager.uploadProgress(for:)) { done in
            manager.uploadTask(
                with: world.request("/post", "POST"), from: payload,
                completionHandler: { _, _, _ in done() })
        }
        #expect(fractions == [0, 1])
    }

    @Test func sessionTaskDoesReportMetrics() async {
        let task = manager.downloadTask(with: world.request("/bytes/200000"))
        let asked = Flag()
        manager.setTaskDidFinishCollectingMetricsBlock { _, _, _ in asked.raise() }
        var observer: (any NSObjectProtocol)?
        let metrics: RequestMetrics? = await outcome { finish in
            observer = NotificationCenter.default.addObserver(
                forName: .networkingTaskDidComplete, object: task, queue: nil
            ) { note in
                let key = networkingTaskDidCompleteSessionTaskMetricsKey
                finish(note.userInfo?[key] as? RequestMetrics)
            }
            task.resume()
        }
        if let observer { NotificationCenter.default.removeObserver(observer) }
        #expect(asked.isUp)
        #expect(metrics?.transactionMetrics.count == 1)
        #expect(metrics?.transactionMetrics.first?.countOfResponseBodyBytesReceived == 200_000)
    }

    // MARK: Session

    @Test func sessionIsStillValid() {
        let session = manager.session
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
        #expect(manager.session === session)
    }

    @Test func sessionRecreatesAgain() {
        let session = manager.session
        manager.invalidateSessionCancelingTasks(true, resetSession: true)
        #expect(manager.session !== session)
    }

    // MARK: Resuming and suspending

    /// How often a notification comes for a task that is resumed, suspended and resumed.
    private func count(_ name: Notification.Name, _ task: SessionTask) async -> Int {
        let count = Count()
        let observer = NotificationCenter.default.addObserver(
            forName: name, object: task, queue: nil
        ) { _ in count.add() }
        defer { NotificationCenter.default.removeObserver(observer) }
        task.resume()
        task.suspend()
        task.resume()
        // Notifications come on main in their order, so this comes behind them.
        await outcome { finish in DispatchQueue.main.async { finish(()) } }
        #expect(task.error == nil)
        task.cancel()
        return count.value
    }

    private var slow: URLRequest { world.request("/delay/10") }
    /// The original uploads with GET, which Foundation on Linux refuses with -1103.
    private var slowUpload: URLRequest { world.request("/delay/10", "POST") }

    @Test func didResumeNotificationIsReceivedByLocalDataTaskAfterResume()
        async
    {
        let task = manager.dataTask(with: slow)
        #expect(await count(.networkingTaskDidResume, task) == 2)
    }

    @Test func didSuspendNotificationIsReceivedByLocalDataTaskAfterSuspend()
        async
    {
        let task = manager.dataTask(with: slow)
        #expect(await count(.networkingTaskDidSuspend, task) == 1)
    }

    @Test func didResumeNotificationIsReceivedByLocalUploadTaskAfterResume()
        async
    {
        let task = manager.uploadTask(with: slowUpload, from: Data())
        #expect(await count(.networkingTaskDidResume, task) == 2)
    }

    @Test func didSuspendNotificationIsReceivedByLocalUploadTaskAfterSuspend() async {
        let task = manager.uploadTask(with: slowUpload, from: Data())
        #expect(await count(.networkingTaskDidSuspend, task) == 1)
    }

    @Test func didResumeNotificationIsReceivedByLocalDownloadTaskAfterResume() async {
        let task = manager.downloadTask(with: slow)
        #expect(await count(.networkingTaskDidResume, task) == 2)
    }

    @Test func didSuspendNotificationIsReceivedByLocalDownloadTaskAfterSuspend() async {
        let task = manager.downloadTask(with: slow)
        #expect(await count(.networkingTaskDidSuspend, task) == 1)
    }

    // MARK: Moving files

    /// The first notification of a download to a place, and the handler's error.
    private func move(to place: URL, hears name: Notification.Name) async -> (Bool, NSError?) {
        let moved = Flag()
        let port = world.server.baseURL.port
        let observer = NotificationCenter.default.addObserver(
            forName: name, object: nil, queue: nil
        ) { note in
            let task = note.object as? SessionDownloadTask
            if task?.originalRequest?.url?.port == port { moved.raise() }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let error: NSError? = await outcome { finish in
            manager.downloadTask(
                with: world.request("/bytes/200000"), destination: { _, _ in place },
                completionHandler: { finish($2.map { $0 as NSError }) }
            ).resume()
        }
        return (moved.isUp, error)
    }

    @Test func taskMoveSuccessfullyAfterDownloading() async throws {
        let place = world.file("moved")
        let (isTold, error) = await move(
            to: place, hears: .urlSessionDownloadTaskDidMoveFileSuccessfully)
        #expect(isTold)
        #expect(error == nil)
        #expect(try Data(contentsOf: place).count == 200_000)
    }

    @Test func taskMoveFailedAfterDownloading() async {
        let (isTold, error) = await move(
            to: URL(fileURLWithPath: "/a/b/c"), hears: .urlSessionDownloadTaskDidFailToMoveFile)
        #expect(isTold)
        #expect(error != nil)
    }
}

/// A progress that a test looks at before the start and after the end.
private final class Seen: @unchecked Sendable {
    // @unchecked because it is written before the task runs and read after its end.
    var progress: Progress?
    var first: Double?
}

private final class Count: @unchecked Sendable {
    // @unchecked because `number` is only touched under `lock`.
    private let lock = NSLock()
    private var number = 0

    var value: Int { lock.withLock { number } }
    func add() { lock.withLock { number += 1 } }
}
