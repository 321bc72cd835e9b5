import CMeasure
import Foundation

/// A program that was started, ended by its own number.
struct Child {
    let process: pid_t
    let output: FileHandle
    /// When it was started, in nanoseconds of the monotonic clock.
    let begin: UInt64

    /// - Parameters:
    ///   - environment: added to this process's own.
    ///   - errors: where it complains; here, if nil.
    init(
        _ arguments: [String], environment: [String: String] = [:], errors: FileHandle? = nil
    ) throws(BenchError) {
        var all = ProcessInfo.processInfo.environment
        all.merge(environment) { $1 }
        let pipe = Pipe()
        let words = CStrings(arguments)
        let settings = CStrings(all.map { "\($0)=\($1)" })
        begin = measure_now()
        process = measure_spawn(
            words.pointers, settings.pointers, pipe.fileHandleForWriting.fileDescriptor,
            errors?.fileDescriptor ?? 2)
        output = pipe.fileHandleForReading
        try? pipe.fileHandleForWriting.close()
        guard process > 0 else {
            throw BenchError("cannot start \(arguments[0]); is it installed?")
        }
    }

    /// What it printed and how it ended.
    struct End {
        var output: Data
        var status: Int32
        var cpuSeconds: Double
        var peakMiB: Double
        /// When, in nanoseconds of the monotonic clock.
        var moment: UInt64
    }

    /// Waits for the end; one that takes too long is ended.
    func finish(within seconds: Double = 120) throws(BenchError) -> End {
        let text = read(until: measure_now() + UInt64(seconds * 1e9))
        if text == nil { kill(process, SIGKILL) }
        let end = measure_wait(process)
        try? output.close()
        guard let text else { throw BenchError("took more than \(Int(seconds)) s") }
        return End(
            output: text, status: end.status, cpuSeconds: Double(end.cpu) / 1e9,
            peakMiB: Double(end.peak) / 1024, moment: measure_now())
    }

    /// Whether a program can be started and does what it should.
    static func succeeds(_ words: [String], log: String = "/dev/null", within seconds: Double = 60)
        -> Bool
    {
        let errors = FileHandle(forWritingAtPath: log)
        return (try? Child(words, errors: errors).finish(within: seconds))?.status == 0
    }

    /// The first line it prints; nil where it ended before.
    func firstLine() -> String? {
        var line = Data()
        while let byte = try? output.read(upToCount: 1), byte.count == 1 {
            if byte[byte.startIndex] == UInt8(ascii: "\n") {
                return String(decoding: line, as: UTF8.self)
            }
            line += byte
        }
        return nil
    }

    func stop() {
        kill(process, SIGTERM)
        _ = measure_wait(process)
        try? output.close()
    }

    private func read(until deadline: UInt64) -> Data? {
        var text = Data()
        while true {
            var waiting = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let now = measure_now()
            let left = deadline > now ? Int32(clamping: (deadline - now) / 1_000_000) : 0
            guard poll(&waiting, 1, left) > 0 else { return nil }
            guard let more = try? output.read(upToCount: 65_536), !more.isEmpty else {
                return text
            }
            text += more
        }
    }
}

/// Words as C takes them.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ words: [String]) {
        count = words.count
        pointers = .allocate(capacity: count + 1)
        for (index, word) in words.enumerated() {
            pointers[index] = strdup(word)
        }
        pointers[count] = nil
    }

    deinit {
        for index in 0..<count {
            free(pointers[index])
        }
        pointers.deallocate()
    }
}
