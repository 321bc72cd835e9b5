import CurlConnection
import OperationNetworking
import SessionEra
import TestSupport

@Suite(
    "Progress, queues, groups and notifications: UM-10 to UM-13, UM-23, UM-24",
    .timeLimit(.minutes(1)))
struct CompletionTests {
    private let world = TestWorld.sessions()

    // MARK: - Progress

    @Test func `UM-10.1 both progress objects begin at unknown`() {
        let task = world.manager.dataTask(with: world.request("/ok"))
        #expect(task.uploadProgress.totalUnitCount == -1)
        #expect(task.downloadProgress.totalUnitCount == -1)
        task.cancel()
    }

    @Test func `UM-10.2 a download's progress and a data task's reach 1.0`()
        async
    {
        let log = Log<Double>()
        _ = await world.outcome {
            world.manager.dataTask(
                with: world.request("/bytes/500000"),
                downloadProgress: { log.add($0.fractionCompleted) }, completionHandler: $0)
        }
        #expect(log.all.last == 1)
        let downloads = Log<Double>()
        _ = await world.download {
            world.manager.downloadTask(
                with: world.request("/bytes/500000"),
                progress: { downloads.add($0.fractionCompleted) }, completionHandler: $0)
        }
        #expect(downloads.all.last == 1)
    }

    @Test func `UM-10.3 the block is called on the delegate queue`() async {
        let queues = Log<Bool>()
        let expected = world.manager.operationQueue
        _ = await world.outcome {
            world.manager.dataTask(
                with: world.request("/bytes/500000"),
                downloadProgress: { _ in queues.add(OperationQueue.current === expected) },
                completionHandler: $0)
        }
        #expect(!queues.all.isEmpty)
        #expect(queues.all.allSatisfy { $0 })
    }

    @Test func `UM-10.4 pausing, resuming and cancelling a progress act on its task`() async {
        let (task, log) = world.dataTask(world.request("/gate/never"))
        task.resume()
        task.downloadProgress.pause()
        while task.state != .suspended { await Task.yield() }
        task.downloadProgress.resume()
        while task.state != .running { await Task.yield() }
        task.uploadProgress.cancel()
        #expect(await log.reaches(1))
        #expect((log.all.first?.error as? URLError)?.code == .cancelled)
    }

    @Test func `UM-10.6 an upload's progress counts what is sent, a download's what comes`() async {
        let sent = Log<[Int64]>()
        let received = Log<[Int64]>()
        var request = world.request("/upload", "POST")
        request.httpBody = Data(count: 400_000)
        _ = await world.outcome {
            world.manager.dataTask(
                with: request,
                uploadProgress: { sent.add([$0.completedUnitCount, $0.totalUnitCount]) },
                downloadProgress: { received.add([$0.completedUnitCount, $0.totalUnitCount]) },
                completionHandler: $0)
        }
        #expect(sent.all.last == [400_000, 400_000])
        #expect(received.all.last.map { $0[0] == $0[1] && $0[0] < 1_000 } == true)
    }

    @Test func `UM-11 progress is found by its task, and not after the end`()
        async
    {
        let log = Log<Bool>()
        let task = world.manager.dataTask(with: world.request("/ok")) { _, _, _ in log.add(true) }
        #expect(world.manager.downloadProgress(for: task) === task.downloadProgress)
        #expect(world.manager.uploadProgress(for: task) === task.uploadProgress)
        task.resume()
        #expect(await log.reaches(1))
        #expect(world.manager.downloadProgress(for: task) == nil)
        #expect(world.manager.uploadProgress(for: task) == nil)
    }

    @Test func `what the progress blocks hold is let go of after the end, though the task is kept`()
        async
    {
        final class Held: Sendable {}
        weak var upload: Held?
        weak var download: Held?
        func make() -> SessionDataTask {
            let (first, second) = (Held(), Held())
            upload = first
            download = second
            return world.manager.dataTask(
                with: world.request("/ok"), uploadProgress: { _ in _ = first },
                downloadProgress: { _ in _ = second }, completionHandler: { _, _, _ in })
        }
        let notices = Notices(.networkingTaskDidComplete)
        let task = make()
        #expect(upload != nil && download != nil)
        task.resume()
        #expect(await notices.log.reaches(1))
        #expect(task.state == .completed)
        for _ in 0..<10_000 where upload != nil || download != nil { await MainQueue.settle() }
        #expect(upload == nil && download == nil)
        #expect(task.downloadProgress.fractionCompleted == 1)
    }

    @Test func `UM-23 the body-sent block hears this piece, the sum and the length, -1 if unknown`()
        async
    {
        let log = Log<[Int64]>()
        world.manager.setTaskDidSendBodyDataBlock { _, _, now, all, total in
            log.add([now, all, total])
        }
        for length in [nil, "5"] {
            var request = world.request("/upload", "POST")
            request.httpBodyStream = InputStream(data: Data("12345".utf8))
            request.setValue(length, forHTTPHeaderField: "Content-Length")
            _ = await world.outcome {
                world.manager.uploadTask(withStreamedRequest: request, completionHandler: $0)
            }
        }
        #expect(log.all == [[5, 5, -1], [5, 5, 5]])
    }

    @Test func `UM-24 the task-complete block comes when the task has left the manager`() async {
        let log = Log<Bool>()
        world.manager.setTaskDidComplete { [manager = world.manager] _, task, error in
            log.add(error == nil && !manager.tasks.contains(task))
        }
        _ = await world.data("/ok")
        #expect(await log.reaches(1))
        world.manager.setTaskDidComplete(nil)
        #expect(log.all == [true])
    }

    // MARK: - Queues

    private final class Spy: HTTPResponseSerializer, @unchecked Sendable {
        // @unchecked because it adds what guards itself.
        let log = Log<Bool>()
        let queue = Log<OperationQueue?>()

        override func responseObject(
            for response: URLResponse?, data: Data?
        ) -> SerializedResponse {
            queue.add(OperationQueue.current)
            log.add(MainQueue.isCurrent)
            // Goes on when the other one is here too.
            let isBeside = response?.url?.path != "/json" || log.wait(for: 2)
            #expect(isBeside)
            return super.responseObject(for: response, data: data)
        }
    }

    @Test func `UM-12.1 success is serialized off main and the delegate queue, several at once`()
        async throws
    {
        let other = URLSessionManager(sessionConfiguration: .ephemeral)
        defer { other.invalidateSessionCancelingTasks(true, resetSession: false) }
        let spy = Spy()
        world.manager.responseSerializer = spy
        other.responseSerializer = spy
        async let first = world.data("/json")
        let second = await world.outcome {
            other.dataTask(with: world.request("/json"), completionHandler: $0)
        }
        #expect(await first.error == nil)
        #expect(second.error == nil)
        #expect(spy.log.all == [false, false])
        #expect(!spy.queue.all.contains { $0 === world.manager.operationQueue })
    }

    /// Keeps a processor busy until it is let go, as a large answer would.
    private final class Grinder: HTTPResponseSerializer, @unchecked Sendable {
        // @unchecked because it adds what guards itself.
        let entered = Log<Bool>()
        let released = Log<Bool>()

        override func responseObject(
            for response: URLResponse?, data: Data?
        ) -> SerializedResponse {
            entered.add(true)
            let end = Date(timeIntervalSinceNow: 12)
            while released.all.isEmpty, Date() < end {}
            return super.responseObject(for: response, data: data)
        }
    }

    @Test
    func `busy serializers, more than there are processors, keep no other task from its answer`()
        async throws
    {
        let busy = URLSessionManager(sessionConfiguration: .ephemeral)
        defer { busy.invalidateSessionCancelingTasks(true, resetSession: false) }
        let grinder = Grinder()
        busy.responseSerializer = grinder
        let count = ProcessInfo.processInfo.activeProcessorCount + 2
        let (done, answers) = (Log<Bool>(), Log<Bool>())
        world.manager.setDataTaskDidReceiveDataBlock { _, _, _ in answers.add(true) }
        // On a thread of its own: that of a test comes from the pool that may be taken.
        let answered = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [world] in
                for _ in 0..<count {
                    let request = world.request("/ok")
                    busy.dataTask(with: request) { _, _, _ in done.add(true) }.resume()
                }
                // One after the other, so that the first cannot slip through before all are busy.
                let answered = (1...5).prefix { number in
                    guard grinder.entered.wait(for: 1) else { return false }
                    world.manager.dataTask(with: world.request("/ok")).resume()
                    return answers.wait(for: number)
                }
                let isHeld = done.all.isEmpty
                grinder.released.add(true)
                continuation.resume(returning: isHeld ? answered.count : 0)
            }
        }
        #expect(answered == 5)
        #expect(await done.reaches(count))
    }

    @Test func `UM-12.2 the handler is called on main, or on the completion queue`() async {
        #expect(await world.data("/ok").wasMain)
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "mine")
        queue.setSpecific(key: key, value: true)
        world.manager.completionQueue = queue
        let log = Log<Bool>()
        let task = world.manager.dataTask(with: world.request("/ok")) { _, _, _ in
            log.add(DispatchQueue.getSpecific(key: key) == true)
        }
        task.resume()
        #expect(await log.reaches(1))
        #expect(log.all == [true])
    }

    @Test func `UM-12.3 the handler is within the completion group`() async {
        let group = DispatchGroup()
        world.manager.completionGroup = group
        world.manager.completionQueue = DispatchQueue(label: "held")
        let log = Log<String>()
        world.manager.setTaskDidComplete { _, _, _ in
            group.notify(queue: .global()) { log.add("group") }
        }
        let task = world.manager.dataTask(with: world.request("/ok")) { _, _, _ in
            log.add("handler")
        }
        task.resume()
        #expect(await log.reaches(2))
        #expect(log.all == ["handler", "group"])
        world.manager.setTaskDidComplete(nil)
    }

    @Test func `UM-12.4 an error of the session skips the serializer`() async {
        let spy = Spy()
        world.manager.responseSerializer = spy
        world.server.add("/reset") { _ in ScriptedResponse([.reset]) }
        #expect(await world.data("/reset").error is URLError)
        #expect(spy.log.all.isEmpty)
    }

    // MARK: - Notification

    @Test func `UM-13.1 the notification comes on main, after the handler`()
        async
    {
        let order = Log<String>()
        let task = world.manager.dataTask(with: world.request("/ok")) { _, _, _ in
            order.add("handler")
        }
        let token = NotificationCenter.default.addObserver(
            forName: .networkingTaskDidComplete, object: task, queue: nil
        ) { _ in order.add(MainQueue.isCurrent ? "notification on main" : "elsewhere") }
        defer { NotificationCenter.default.removeObserver(token) }
        task.resume()
        #expect(await order.reaches(2))
        #expect(order.all == ["handler", "notification on main"])
    }

    @Test func `UM-13.2 its object is the task, UM-13.3 its facts are those of the end`()
        async throws
    {
        let serializer = JSONResponseSerializer()
        world.manager.responseSerializer = serializer
        let task = world.manager.dataTask(with: world.request("/json"))
        let notices = Notices(.networkingTaskDidComplete, of: task)
        task.resume()
        #expect(await notices.log.reaches(1))
        let notice = try #require(notices.log.all.first)
        #expect(notice.object === task)
        let info = notice.info
        #expect(info[networkingTaskDidCompleteResponseSerializerKey] as AnyObject === serializer)
        #expect(
            info[networkingTaskDidCompleteResponseDataKey] as? Data == Data(#"{"a":"b"}"#.utf8))
        #expect(
            info[networkingTaskDidCompleteSerializedResponseKey] as? [String: String] == ["a": "b"])
        #expect(info[networkingTaskDidCompleteErrorKey] == nil)
        #expect(info[networkingTaskDidCompleteAssetPathKey] == nil)
        let metrics = info[networkingTaskDidCompleteSessionTaskMetricsKey]
        #expect(metrics is RequestMetrics)
    }

    @Test func `UM-13.3 an error and a download's place are among the facts`() async throws {
        let failing = world.manager.dataTask(with: world.request("/status/500"))
        let failures = Notices(.networkingTaskDidComplete, of: failing)
        failing.resume()
        #expect(await failures.log.reaches(1))
        // Who wrote for Objective-C's dictionary casts to its class; a Swift error is none on Linux.
        let fact = failures.log.all.first?.info[networkingTaskDidCompleteErrorKey]
        let error = try #require(fact as? NSError)
        #expect(error.domain == NetworkingError.responseSerializationDomain)
        #expect(error.code == NSURLErrorBadServerResponse)
        #expect(error.userInfo[NetworkingError.failingURLResponseKey] is HTTPURLResponse)
        #expect(fact is any Error)
        let place = world.file("place")
        let download = world.manager.downloadTask(
            with: world.request("/ok"), destination: { _, _ in place })
        let downloads = Notices(.networkingTaskDidComplete, of: download)
        download.resume()
        #expect(await downloads.log.reaches(1))
        let info = try #require(downloads.log.all.first?.info)
        #expect(info[networkingTaskDidCompleteAssetPathKey] as? URL == place)
        #expect(info[networkingTaskDidCompleteSerializedResponseKey] as? URL == place)
        #expect(info[networkingTaskDidCompleteResponseDataKey] == nil)
    }
}
