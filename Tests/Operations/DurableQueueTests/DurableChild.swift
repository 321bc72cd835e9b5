import CurlConnection
import HTTPSemantics
import OperationNetworking
import TestSupport

@testable import DurableQueue

/// What another process does with a durable queue. It is this test program once more, with a filter and the
/// facts in its environment.
struct DurableChild {
    /// What it does with the folder's queue.
    enum Work: String {
        /// Adds entries and tells each that was accepted, until it is killed.
        case add
        /// The same with a limit for the length of files, until the disk refuses.
        case fill
        /// Waits until everything has ended.
        case drain
    }

    var work: Work
    var folder: URL
    var server: URL
    /// The number of the first entry.
    var start = 0

    private static let prefix = "DURABLE"

    /// Nil in the process that runs the tests.
    static var here: DurableChild? {
        let all = ProcessInfo.processInfo.environment
        guard let work = all["\(prefix)_WORK"].flatMap(Work.init),
            let folder = all["\(prefix)_FOLDER"],
            let server = all["\(prefix)_SERVER"].flatMap({ URL(string: $0) }),
            let start = all["\(prefix)_START"].flatMap({ Int($0) })
        else { return nil }
        return DurableChild(
            work: work, folder: URL(fileURLWithPath: folder, isDirectory: true), server: server,
            start: start)
    }

    /// Starts it, and calls a block with each line that it told, on a thread of its own.
    ///
    /// - Returns: its process, and what ends with its output.
    func begin(_ reported: @escaping @Sendable (String, Process) -> Void) throws -> (
        Process, Signal
    ) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--testing-library", "swift-testing", "--filter", "DurableChildTests"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "\(Self.prefix)_WORK": work.rawValue, "\(Self.prefix)_FOLDER": folder.path,
            "\(Self.prefix)_SERVER": server.absoluteString, "\(Self.prefix)_START": "\(start)",
        ]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let ended = Signal()
        Thread.detachNewThread {
            var rest = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: 10) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    rest = Data(rest[(end + 1)...])
                    guard line.hasPrefix("\(Self.prefix) ") else { continue }
                    reported(String(line.dropFirst(Self.prefix.count + 1)), process)
                }
            }
            process.waitUntilExit()
            ended.fire()
        }
        return (process, ended)
    }

    // MARK: In the child

    private static func tell(_ text: String) {
        let line = Array("\(prefix) \(text)\n".utf8)
        // One call, so that a kill leaves a line or none.
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    func run() async throws {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "outcomes")
        var options = DurableQueue.Options()
        options.retryPolicy.delay = 0.02
        options.retryPolicy.maximumDelay = 0.1
        options.isSuspended = work == .fill
        let queue = try await DurableQueue(folder: folder, manager: manager, options: options) {
            _, outcome in
            guard case .delivered = outcome else { return Self.tell("failed \(outcome)") }
        }
        Self.tell("open \(queue.entries.count)")
        switch work {
        case .drain:
            await queue.waitUntilEmpty()
            await queue.close()
            Self.tell("empty")
        case .add:
            for number in start..<start + 1_000_000 { try await add(number, to: queue) }
        case .fill:
            try limitFiles(to: 300_000)
            do {
                for number in start..<start + 10_000 { try await add(number, to: queue) }
            } catch DurableQueueError.disk {
                Self.tell("refused")
            }
            // What frees room lets it go on.
            try limitFiles(to: 3_000_000)
            try await add(start + 10_000, to: queue)
            await queue.close()
        }
    }

    private func add(_ number: Int, to queue: DurableQueue) async throws {
        let key = "\(number % 4)"
        guard let url = URL(string: "in/\(key)/\(number)", relativeTo: server) else { return }
        var request = URLRequest(url: url.absoluteURL)
        request.httpMethod = "POST"
        // Each tenth is long enough for a file.
        let isLong = number % 10 == 3 && work == .add
        request.httpBody = Data(repeating: 7, count: isLong ? 60_000 : 300)
        try await queue.add(request, orderedBy: key)
        Self.tell("added \(number)")
    }

    /// The system refuses what makes a file longer than that.
    private func limitFiles(to length: UInt) throws {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(1), &limit)
        limit.rlim_cur = length
        #expect(setrlimit(__rlimit_resource_t(1), &limit) == 0)
    }
}

@Suite("The process of a durable queue", .enabled(if: DurableChild.here != nil))
struct DurableChildTests {
    @Test func `what the test that started this process wants`() async throws {
        try await DurableChild.here?.run()
    }
}
