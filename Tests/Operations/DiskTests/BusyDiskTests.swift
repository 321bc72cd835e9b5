import HTTPSemantics
import RequestEra
import Scheduling
import SessionEra
import SessionTasks
import TLSPeer
import TestSupport

@testable import CurlConnection
@testable import OperationNetworking

/// What a slow disk keeps waiting: its own load, and no other one of the thread.
@Suite("A disk that does not answer", .serialized, .timeLimit(.minutes(5)))
struct BusyDiskTests {
    private static let bytes = GeneratedBytes.bytes(seed: 5, range: 0..<700_000)

    private let server = LoopbackServer.started()
    private let thread = NetworkThread(name: "beside a disk")
    private let room = TemporaryFolder()
    private var folder: URL { room.url }

    init() throws {
        server.add("/echo-body") { .data($0.body) }
        server.add("/large") { _ in .data(Self.bytes) }
        server.add("/stored") { _ in
            .data(Self.bytes.prefix(40_000), headers: [("Cache-Control", "max-age=600")])
        }
    }

    private func file(_ name: String = "file") throws -> URL {
        let url = folder.appendingPathComponent(name)
        try Self.bytes.write(to: url)
        return url
    }

    private func operation(_ path: String, _ method: String = "GET") -> URLConnectionOperation {
        var request = URLRequest(url: server.url(path), timeoutInterval: 60)
        request.httpMethod = method
        return prepared(URLConnectionOperation(request: request))
    }

    private func prepared(_ operation: URLConnectionOperation) -> URLConnectionOperation {
        operation.networkThread = thread
        return operation
    }

    private func end(of operation: URLConnectionOperation) -> Signal {
        let end = Signal()
        operation.completionBlock = { end.fire() }
        return end
    }

    /// A stream whose file server does not answer when it is closed.
    private final class HangingClose: InputStream {
        private let gate: DispatchSemaphore
        private var status = Stream.Status.notOpen

        init(_ gate: DispatchSemaphore) {
            self.gate = gate
            super.init(data: Data())
        }

        override var streamStatus: Stream.Status { status }
        override var hasBytesAvailable: Bool { true }
        override func open() { status = .open }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
            buffer[0] = 7
            return 1
        }

        override func close() {
            gate.wait()
            status = .closed
        }
    }

    @Test func `streams that are not closed keep no others waiting`() async throws {
        let gate = DispatchSemaphore(value: 0)
        defer { for _ in 0..<WorkerRule.files.limit { gate.signal() } }
        for _ in 0..<WorkerRule.files.limit {
            let queue = StreamQueue(mayWait: { false })
            let input = WaitingInput(HangingClose(gate), length: 1, on: queue)
            let isRead = Signal()
            input.whenReady { isRead.fire() }
            try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
                _ = try input.read(into: $0)
            }
            await isRead.wait()
            input.close()
        }
        let isFree = Signal()
        WorkerQueue(.files).perform { isFree.fire() }
        #expect(await isFree.wait(for: 1, "a thread for another file"))
    }

    @Test func `a download's sync has an opening of the file of its own`() async throws {
        let descriptor = open(try file().path, O_RDWR)
        defer { close(descriptor) }
        let hold = await PoolHold()
        defer { hold.release() }
        let record = DownloadRecord(
            address: "http://h.test/", validator: "\"1\"", length: nil, offset: 0, sha256: "")
        let before = Self.openings(of: descriptor)
        let ended = Signal()
        var calls = DiskCalls()
        calls.close = { descriptor in
            defer { ended.fire() }
            return close(descriptor)
        }
        let sync = try #require(PartSync(record, 0, of: descriptor, -1, by: calls))
        let own = Self.openings(of: descriptor).subtracting(before)
        try #require(own.count == 1)
        // A copy would have the same position.
        lseek(descriptor, 7, SEEK_SET)
        #expect(lseek(try #require(own.first), 0, SEEK_CUR) == 0)
        hold.release()
        await ended.wait()
        #expect(sync.result == 0)
    }

    /// The descriptors of the file that a descriptor stands for.
    private static func openings(of descriptor: Int32) -> Set<Int32> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let path = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\(descriptor)")
        return Set(
            names.compactMap { Int32($0) }.filter {
                path != nil
                    && (try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\($0)")) == path
            })
    }

    @Test func `a body from a file keeps no other load waiting`() async throws {
        let upload = operation("/echo-body", "POST")
        upload.inputStream = try InputStream(url: file())
        let isOver = end(of: upload)
        try await besideHeldPool(isOver) { upload.start() }
        await isOver.wait()
        #expect(upload.error == nil && upload.responseData == Self.bytes)
    }

    /// Holds the threads that wait for disks, begins a load that needs one, and loads from the same thread meanwhile.
    private func besideHeldPool(_ isOver: Signal, _ begin: () -> Void) async throws {
        let hold = await PoolHold()
        defer { hold.release() }
        begin()
        for _ in 0..<3 {
            let other = operation("/ok")
            let otherEnd = end(of: other)
            other.start()
            await otherEnd.wait()
            #expect(other.responseString == "hello world")
        }
        #expect(isOver.count == 0)
    }

    @Test func `a form's file keeps no other load waiting`() async throws {
        let file = try file()
        let upload = try prepared(
            URLConnectionOperation(
                request: HTTPRequestSerializer().multipartFormRequest(
                    method: "POST", urlString: server.url("/echo-body").absoluteString,
                    parameters: nil
                ) { try? $0.appendPart(fileURL: file, name: "file") }))
        let isOver = end(of: upload)
        try await besideHeldPool(isOver) { upload.start() }
        await isOver.wait()
        #expect(upload.error == nil)
        #expect(upload.responseData?.range(of: Self.bytes) != nil)
    }

    @Test func `a stored response keeps no other load waiting`() async throws {
        let cache = try ResponseCache(
            memoryCapacity: 0, diskCapacity: 4 << 20,
            directory: folder.appendingPathComponent("cache"))
        let first = operation("/stored")
        first.configuration.responseCache = cache
        let firstEnd = end(of: first)
        first.start()
        await firstEnd.wait()
        await onNewThread { cache.waitForDisk() }
        let second = operation("/stored")
        second.configuration.responseCache = cache
        let isOver = end(of: second)
        try await besideHeldPool(isOver) { second.start() }
        await isOver.wait()
        #expect(second.error == nil && second.responseData == Self.bytes.prefix(40_000))
        #expect(server.requests.filter { $0.path == "/stored" }.count == 1)
    }

    /// How a transfer waits for its output: whether it does, and how many of its thread are asked again by a timer.
    private func wait(of operation: URLConnectionOperation) async -> (isOn: Bool, polled: Int) {
        await withCheckedContinuation { answer in
            thread.perform(inModes: .commonModes) {
                let connection = operation.connection
                answer.resume(
                    returning: (
                        connection?.consumerWait.isOn == true,
                        connection?.transport?.polled.count ?? -1
                    ))
            }
        }
    }

    /// Begins a load whose output is held, and sees that it waits without a timer until that is released.
    private func loadWithoutTimer(
        to stream: OutputStream, _ release: () -> Void, stored: () -> Data?
    ) async throws {
        let bytes = GeneratedBytes.bytes(seed: 6, range: 0..<4_000_000)
        server.add("/larger") { _ in .data(bytes) }
        let download = operation("/larger")
        download.outputStream = stream
        let isOver = end(of: download)
        download.start()
        var last = (isOn: false, polled: -1)
        for _ in 0..<100_000 where !last.isOn { last = await wait(of: download) }
        #expect(last.isOn && last.polled == 0)
        for _ in 0..<100 { last = await wait(of: download) }
        #expect(last.isOn && last.polled == 0)
        #expect(isOver.count == 0)
        release()
        await isOver.wait()
        #expect(download.error == nil)
        let isWhole = stored() == bytes
        #expect(isWhole)
    }

    @Test func `a file that is full is asked by no timer, and the load goes on with it`()
        async throws
    {
        let file = folder.appendingPathComponent("new")
        let hold = await PoolHold()
        defer { hold.release() }
        try await loadWithoutTimer(
            to: try #require(OutputStream(url: file, append: false)), hold.release
        ) { try? Data(contentsOf: file) }
    }

    @Test
    func `a download's full buffer is asked by no timer, and the load goes on`()
        async throws
    {
        let disk = DispatchQueue(label: "a disk")
        let bytes = Locked(Data())
        let buffer = PartBuffer(disk) { piece in bytes.withLock { $0.append(piece) } }
        disk.suspend()
        try await loadWithoutTimer(to: PartOutput(buffer), disk.resume) {
            disk.sync { bytes.withLock { $0 } }
        }
    }

    @Test func `a session's upload of a file keeps no other load waiting`() async throws {
        let manager = SessionEra.URLSessionManager(sessionConfiguration: .ephemeral)
        manager.responseSerializer = HTTPResponseSerializer()
        let file = try file()
        var request = URLRequest(url: server.url("/echo-body"), timeoutInterval: 60)
        request.httpMethod = "POST"
        let isOver = Signal()
        let answer = Locked<Data?>(nil)
        let task = manager.uploadTask(with: request, fromFile: file, progress: nil) {
            _, object, _ in
            answer.withLock { $0 = object as? Data }
            isOver.fire()
        }
        let other = Signal()
        let hold = await PoolHold()
        defer { hold.release() }
        task.resume()
        let get = manager.dataTask(with: URLRequest(url: server.url("/ok"))) { _, object, _ in
            if object as? Data == Data("hello world".utf8) { other.fire() }
        }
        get.resume()
        await other.wait()
        #expect(isOver.count == 0)
        hold.release()
        await isOver.wait()
        #expect(answer.withLock { $0 } == Self.bytes)
    }

    @Test func `a request's upload of a file keeps no other load waiting`() async throws {
        let manager = RequestEra.SessionManager(configuration: .ephemeral)
        let file = try file()
        let (isOver, other) = (Signal(), Signal())
        let answer = Locked<Data?>(nil)
        let hold = await PoolHold()
        defer { hold.release() }
        manager.upload(file, to: server.url("/echo-body")).responseData { response in
            answer.withLock { $0 = response.data }
            isOver.fire()
        }
        manager.request(server.url("/ok")).responseData { _ in other.fire() }
        await other.wait()
        #expect(isOver.count == 0)
        hold.release()
        await isOver.wait()
        #expect(answer.withLock { $0 } == Self.bytes)
    }

    /// OpenSSL opens the bundle inside the C library; a pipe in its place waits for the test.
    @Test func `the system's certificates keep no other load waiting`() async {
        await #expect(processExitsWith: .success) {
            let root = try TLSIdentity(.authority("slow root"))
            let secure = LoopbackServer(
                tls: TLSSettings(try TLSIdentity(.loopback, signedBy: root)))
            let plain = LoopbackServer()
            try secure.start()
            try plain.start()
            let bundle = FileManager.default.temporaryDirectory.appendingPathComponent(
                "bundle-\(UUID().uuidString)")
            try #require(mkfifo(bundle.path, 0o600) == 0)
            defer { try? FileManager.default.removeItem(at: bundle) }
            setenv("SSL_CERT_FILE", bundle.path, 1)
            let thread = NetworkThread(name: "beside a bundle")
            func start(_ url: URL) -> (URLConnectionOperation, Signal) {
                let operation = URLConnectionOperation(request: URLRequest(url: url))
                operation.networkThread = thread
                let end = Signal()
                operation.completionBlock = { end.fire() }
                operation.start()
                return (operation, end)
            }
            let (slow, slowEnd) = start(secure.url("/ok"))
            for _ in 0..<3 {
                let (other, otherEnd) = start(plain.url("/ok"))
                await otherEnd.wait()
                try #require(other.responseString == "hello world")
            }
            try #require(slowEnd.count == 0)
            let text = Data(
                ("-----BEGIN CERTIFICATE-----\n" + root.der.base64EncodedString()
                    + "\n-----END CERTIFICATE-----\n").utf8)
            await onNewThread { try? FileHandle(forWritingTo: bundle).write(contentsOf: text) }
            await slowEnd.wait()
            try #require(slow.error == nil && slow.responseString == "hello world")
        }
    }
}

/// Occupies every thread that waits for disks.
final class PoolHold: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let isReleased = Locked(false)

    init() async {
        // What loads need of the system's files is read before.
        PublicSuffixList.read()
        let inside = Signal()
        for _ in 0..<WorkerRule.files.limit {
            WorkerQueue(.files).perform { [gate] in
                inside.fire()
                gate.wait()
            }
        }
        await inside.wait(for: WorkerRule.files.limit, "the threads that wait for disks")
    }

    func release() {
        let isFirst = isReleased.withLock { isReleased in
            defer { isReleased = true }
            return !isReleased
        }
        if isFirst { for _ in 0..<WorkerRule.files.limit { gate.signal() } }
    }
}
