import CurlConnection
import HTTPSemantics
import TestSupport

@testable import OperationNetworking

/// What a download leaves in memory, and what its caller's blocks may do when they are let go.
@Suite("What is freed of a download", .timeLimit(.minutes(5)))
struct DownloadLifeTests {
    private let world = TestWorld()
    private let manager = OperationManager()
    private let callbacks = DispatchQueue(label: "callbacks")
    private let clock = TurnableClock()
    private let gone = Signal()

    /// A download that holds a sentinel as long as it lives.
    private func download(
        _ path: String, as name: String, _ options: DownloadOptions = .once
    ) -> FileDownloadOperation {
        let sentinel = Sentinel(gone)
        let download = FileDownloadOperation(
            world.request(path), to: world.file(name), options: options
        ) { [clock] transfer in
            transfer.configuration.clock = clock.clock
            sentinel.touch()
        }
        download.completionQueue = callbacks
        return download
    }

    private func enqueue(_ download: FileDownloadOperation, group: String? = nil) {
        manager.enqueue(download, group: group)
    }

    @Test func `of 1,000 that have ended nothing is left`() async {
        for number in 0..<1_000 {
            enqueue(download("/bytes/1000?seed=3", as: "\(number)"))
        }
        await gone.wait(for: 1_000, "the downloads to be freed")
        #expect(world.names.count == 1_000)
    }

    @Test func `its response is there after the end`() async {
        let (download, done) = (download("/bytes/1000?seed=3", as: "a"), Signal())
        download.setResultBlock { _ in done.fire() }
        enqueue(download)
        await done.wait()
        #expect(download.response?.statusCode == 200)
    }

    @Test func `one that asked for its place again is freed after its end`() async {
        let isBusy = Locked(true)
        world.server.add("/busy") { request in
            let wasBusy = isBusy.withLock { isBusy in
                defer { isBusy = false }
                return isBusy
            }
            return wasBusy
                ? .text("later", status: 503)
                : .generatedFile(seed: 3, length: 1_000, request: request)
        }
        manager.setMaxConcurrentOperationCount(1, ofGroup: "files")
        enqueue(download("/busy", as: "a", .tries(2)), group: "files")
        await gone.wait(for: 1, "the download to be freed")
        #expect(world.contents("a") == generated(3))
    }

    @Test func `one that is cancelled in its wait is freed before the wait is over`() async {
        world.server.add("/busy") { _ in
            .text("later", status: 503, headers: [("Retry-After", "100")])
        }
        let (waits, done) = (Signal(), Signal())
        do {
            let download = download("/busy", as: "a", .tries(2))
            download.setRetryBlock { _, _ in waits.fire() }
            download.setResultBlock { _ in done.fire() }
            enqueue(download)
            await waits.wait()
            download.cancel()
        }
        await done.wait()
        await gone.wait(for: 1, "the download to be freed")
    }

    @Test func `a cancelled one prints as one line with its address, awaited or not`() async throws
    {
        world.server.add("/held") { _ in ScriptedResponse([.stall]) }
        let request = world.request("/held")
        let reported = Log<String>()
        let download = manager.download(request, to: world.file("a"), options: .once) { result in
            if case .failure(let error) = result { reported.add("\(error)") }
        }
        let task = Task {
            _ = try await manager.download(request, to: world.file("b"), options: .once)
        }
        #expect(await world.server.sees { $1.count == 2 })
        download.cancel()
        task.cancel()
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(await reported.reaches(1))
        let line = "NSURLErrorDomain -999 <\(request.url?.absoluteString ?? "")>"
        #expect(reported.all == [line])
        #expect(error.map { "\($0)" } == line)
    }

    @Test func `an awaited one tells of its progress, and not after its end`() async throws {
        let reported = Log<DownloadProgress>()
        let file = try await manager.download(
            world.request("/bytes/300000"), progress: { reported.add($0) }, to: world.file("a"),
            options: .once)
        let count = reported.all.count
        #expect(count > 0 && reported.all.last?.stored == 300_000 && file.length == 300_000)
        let web = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        _ = try await web.download(
            "bytes/1000", progress: { reported.add($0) }, to: world.file("b"), options: .once)
        #expect(reported.all.last?.stored == 1_000)
    }

    @Test func `blocks that are replaced go under no lock`() async {
        let download = download("/bytes/1000", as: "a")
        let answers = Log<Bool>()
        @Sendable func asking() -> AskingAtEnd {
            AskingAtEnd(answers) { _ = download.progress }
        }
        await onNewThread {
            download.setProgressBlock { [asking = asking()] _ in asking.touch() }
            download.setProgressBlock(nil)
            download.setRetryBlock { [asking = asking()] _, _ in asking.touch() }
            download.setRetryBlock(nil)
            download.setResultBlock { [asking = asking()] _ in asking.touch() }
            download.setResultBlock(nil)
        }
        #expect(answers.all == [true, true, true])
    }

    @Test func `what the program gave a connection goes under no lock`() async {
        let answers = Log<Bool>()
        let isBusy = Locked(true)
        world.server.add("/busy") { request in
            let wasBusy = isBusy.withLock { isBusy in
                defer { isBusy = false }
                return isBusy
            }
            return wasBusy
                ? .text("later", status: 503)
                : .generatedFile(seed: 3, length: 1_000, request: request)
        }
        let known = Locked<FileDownloadOperation?>(nil)
        let download = FileDownloadOperation(
            world.request("/busy"), to: world.file("a"), options: .tries(2)
        ) { transfer in
            let asking = AskingAtEnd(answers) { _ = known.withLock { $0 }?.progress }
            transfer.setRedirectResponseBlock { _, request, _ in
                asking.touch()
                return request
            }
        }
        known.withLock { $0 = download }
        let done = Signal()
        download.completionQueue = callbacks
        download.setResultBlock { _ in done.fire() }
        download.start()
        await done.wait()
        #expect(await answers.reaches(2))
        #expect(answers.all == [true, true])
        known.withLock { $0 = nil }
    }
}
