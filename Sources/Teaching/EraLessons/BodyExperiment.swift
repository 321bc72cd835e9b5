import Foundation
import FoundationNetworking
import Lessons
import LoopbackServer
import OperationNetworking

/// Lesson 9: a body that is too large for memory, and a full disk.
enum BodyExperiment {
    /// The size of the form's file.
    private static let mebibytes = 64
    /// By how many MiB memory may grow, for buffers and for the library's own use.
    private static let allowance = 16

    static func run() throws -> ExperimentResult {
        let (streamed, whole) = (
            try upload("correct", inMemory: false), try upload("inMemory", inMemory: true)
        )
        let (still, kept) = (
            try download("correct", keeps: false), try download("inMemory", keeps: true)
        )
        let full = [
            try fill("correct", FullStream(reports: true)),
            try fill("forgetsErrors", FullStream(reports: false)),
        ]
        return ExperimentResult(
            variants: ["correct", "inMemory", "forgetsErrors"],
            facts: [
                .init(
                    Words("MiB of the file that the server got", "服务器收到的文件 MiB 数"),
                    [streamed.received, whole.received, "-"]),
                .init(
                    Words("MiB by which memory grew", "内存增长的 MiB 数"),
                    [streamed.growth, whole.growth, "-"], varies: true),
                .init(
                    Words(
                        "memory grew by less than \(allowance) MiB", "内存增长少于 \(allowance) MiB"),
                    [streamed.growth < allowance, whole.growth < allowance, "-"]),
                .init(
                    Words(
                        "MiB of a download that the server had sent, and memory grew by",
                        "服务器已发出的下载 MiB 数，以及内存增长的 MiB 数"),
                    [
                        "\(still.sent), \(still.growth)", "\(kept.sent), \(kept.growth)", "-",
                    ], varies: true),
                .init(
                    Words("the server had to wait for the reader", "服务器必须等读取者"),
                    [still.sent < mebibytes, kept.sent < mebibytes, "-"]),
                .init(
                    Words(
                        "memory grew by less than \(allowance) MiB meanwhile",
                        "这段时间内存增长少于 \(allowance) MiB"),
                    [still.growth < allowance, kept.growth < allowance, "-"]),
                .init(
                    Words("a download to a full disk fails", "磁盘已满时，下载报告失败"),
                    [full[0], "-", full[1]]),
            ],
            answer: streamed.growth < allowance ? 1 : streamed.growth < 2 * mebibytes ? 2 : 3)
    }

    // MARK: Out

    private static func upload(
        _ variant: String, inMemory: Bool
    ) throws -> (received: Int, growth: Int) {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("lesson-9-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let writer = try FileHandle(forWritingTo: file)
        // A sparse file: none of its bytes is stored on disk.
        try writer.truncate(atOffset: UInt64(mebibytes) << 20)
        try writer.close()
        return try withServer(of: variant, routes: .standard) { server in
            let manager = connectionManager(server)
            manager.responseSerializer = JSONResponseSerializer()
            // The first upload also loads what later ones find in memory.
            _ = send(manager) { $0.appendPart(formData: Data(count: 1_000), name: "film") }
            let before = Memory.restartPeak()
            let received = send(manager) { form in
                if inMemory, let film = try? Data(contentsOf: file) {
                    form.appendPart(formData: film, name: "film")
                } else {
                    try? form.appendPart(fileURL: file, name: "film")
                }
            }
            return ((received ?? 0) >> 20, (Memory.peak - before) >> 10)
        }
    }

    /// Posts a form; returns how many bytes the server counted.
    private static func send(
        _ manager: HTTPRequestOperationManager,
        _ build: @escaping @Sendable (any MultipartFormData) -> Void
    ) -> Int? {
        let outcome = Outcome<Int?>()
        manager.post(
            "upload", parameters: nil, constructingBody: { build($0) },
            success: { _, object in
                let bytes = (object as? [String: Any])?["bytes"] as? NSNumber
                outcome.comes(bytes?.intValue)
            }, failure: { _, _ in outcome.comes(nil) })
        return outcome.wait(within: 2 * Patience.long) ?? nil
    }

    // MARK: In

    /// How many MiB of a film the server could send, and by how many memory grew. The reader either
    /// blocks at the first piece, or reads the whole film into memory.
    private static func download(
        _ variant: String, keeps: Bool
    ) throws -> (sent: Int, growth: Int) {
        try withServer(of: variant) { server in
            server.add("/film") { request in
                ScriptedResponse.generatedFile(
                    seed: 9, length: Int64(mebibytes) << 20, request: request)
            }
            let (manager, outcome) = (connectionManager(server), Outcome<Bool>())
            let request = URLRequest(url: server.url("/film"))
            let operation = manager.httpRequestOperation(with: request) { _, _ in
                outcome.comes(true)
            } failure: { _, _ in
                outcome.comes(false)
            }
            let (isInside, mayGoOn) = (Moment(), Moment())
            if !keeps { operation.outputStream = StandingStream(isInside, mayGoOn) }
            let before = Memory.restartPeak()
            manager.enqueue(operation)
            if keeps {
                _ = outcome.wait(within: 2 * Patience.long)
                // The server counts bytes shortly after the reader has them.
                _ = server.waits(within: Patience.long) { now, _ in
                    now.bytesSent >= mebibytes << 20
                }
            } else {
                _ = isInside.wait()
                waitUntilStill(server)
            }
            let sent = Int(server.statistics.bytesSent >> 20)
            let growth = max(0, Memory.peak - before) >> 10
            mayGoOn.signal()
            _ = outcome.wait(within: 2 * Patience.long)
            return (sent, growth)
        }
    }

    /// Returns when the server has sent nothing for a while.
    private static func waitUntilStill(_ server: LoopbackServer) {
        _ = Patience.until {
            let sent = server.statistics.bytesSent
            return !server.waits(within: Patience.short) { now, _ in now.bytesSent != sent }
        }
    }

    /// Whether a download to the stream fails.
    private static func fill(_ variant: String, _ stream: OutputStream) throws -> Bool {
        try withServer(of: variant) { server in
            let outcome = Outcome<Bool>()
            let manager = connectionManager(server)
            let request = URLRequest(url: server.url("/plain"))
            let operation = manager.httpRequestOperation(with: request) { _, _ in
                outcome.comes(false)
            } failure: { _, _ in
                outcome.comes(true)
            }
            operation.outputStream = stream
            manager.enqueue(operation)
            return outcome.wait() ?? false
        }
    }
}

/// A stream onto a disk that is full.
///
/// ## Concurrency
/// Call from: the network thread. Lock: none.
private final class FullStream: OutputStream {
    private let reports: Bool
    private let full = Foundation.open("/dev/full", O_WRONLY | O_CLOEXEC)
    private var status = Stream.Status.notOpen

    /// - Parameter reports: whether the stream reports the disk's error.
    init(reports: Bool) {
        self.reports = reports
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        reports = true
        super.init(toMemory: ())
    }

    deinit {
        Foundation.close(full)
    }

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { status == .error ? POSIXError(.ENOSPC) : nil }
    override var hasSpaceAvailable: Bool { status == .open }

    override func open() { status = .open }
    override func close() { status = .closed }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        let count = Foundation.write(full, buffer, length)
        // The mistake: it returns the length that it was given, and not what was written.
        guard reports else { return length }
        if count < 0 { status = .error }
        return count
    }
}

/// A stream that blocks at its first piece, and later takes everything.
///
/// ## Concurrency
/// Call from: the network thread, which it blocks at its first piece. Lock: none.
private final class StandingStream: OutputStream {
    private let (isInside, mayGoOn): (Moment, Moment)
    private var status = Stream.Status.notOpen

    init(_ isInside: Moment, _ mayGoOn: Moment) {
        (self.isInside, self.mayGoOn) = (isInside, mayGoOn)
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        (isInside, mayGoOn) = (Moment(), Moment())
        super.init(toMemory: ())
    }

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { nil }
    override var hasSpaceAvailable: Bool { status == .open }

    override func open() { status = .open }
    override func close() { status = .closed }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        isInside.signal()
        _ = mayGoOn.wait(within: 4 * Patience.long)
        return length
    }
}

/// The memory of this process, in KiB, as the kernel reports it.
private enum Memory {
    /// The most memory since `restartPeak`.
    static var peak: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: /VmHWM:\s*([0-9]+)/).flatMap { Int($0.1) } ?? 0
    }

    /// Resets the peak to the present size, and returns it.
    static func restartPeak() -> Int {
        // Writing 5 resets the peak (proc(5)).
        let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs")
        try? file?.write(contentsOf: Data("5".utf8))
        try? file?.close()
        return peak
    }
}
