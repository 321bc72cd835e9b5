import CurlConnection
import Dispatch
import Foundation

/// The bytes of a multipart body as a stream.
///
/// A read returns as many bytes as it can without waiting, at most one packet. If a part fails, `read` returns -1, the
/// status is `.error`, and `streamError` is a `MultipartError`. A file is open only while it is read. The stream sends
/// no events.
///
/// ## Concurrency
/// Call from: one thread at a time, which waits for the disk if a part is a file. Lock: none. Calls out: a caller's
/// stream, on that thread. It never waits for another thread, which could be waiting for the upload.
final class MultipartBodyStream: InputStream, ReplayableBody, ComposedStream {
    /// In bytes.
    let contentLength: Int64
    private let parts: [HTTPBodyPart]
    private let boundary: MultipartBoundary
    private let pacing: MultipartPacing
    /// A monotonic clock, in nanoseconds.
    private let clock: @Sendable () -> UInt64

    private var status = Stream.Status.notOpen
    private var failure: MultipartError?
    private var index = 0
    private var phase = HTTPBodyPart.Phase.boundary
    private var source: (any PartSource)?
    private var pausedUntil: UInt64 = 0

    /// - Throws: `MultipartError` if the length exceeds `Int64.max`.
    init(
        _ parts: [HTTPBodyPart], boundary: MultipartBoundary,
        pacing: MultipartPacing = .unlimited,
        clock: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
    ) throws(MultipartError) {
        self.parts = parts
        self.boundary = boundary
        self.pacing = pacing
        self.clock = clock
        contentLength = try Self.length(of: parts, boundary: boundary)
        super.init(data: Data())
    }

    deinit {
        source?.finish()
    }

    private static func length(
        of parts: [HTTPBodyPart], boundary: MultipartBoundary
    ) throws(MultipartError) -> Int64 {
        var sum: Int64 = 0
        for (index, part) in parts.enumerated() {
            let length = part.length(
                boundary: boundary, isFirst: index == 0, isLast: index == parts.count - 1)
            guard let length, length <= .max - sum else {
                throw MultipartError(
                    .refusedLength, "The parts are longer than \(Int64.max) bytes.")
            }
            sum += length
        }
        return sum
    }

    // MARK: Waiting

    var readsFiles: Bool {
        parts.contains { part in
            switch part.body {
            case .data: false
            case .file: true
            case .stream(let stream): stream.mayBeSlow
            }
        }
    }

    var readsPipes: Bool {
        parts.contains { part in
            if case .stream(let stream) = part.body { return stream.mayWait }
            return false
        }
    }

    /// With a delay between packets, the time of each read matters.
    var mayBeReadAhead: Bool { pacing.pause == 0 }

    // MARK: Replay

    func freshCopy() throws -> InputStream {
        try copy(pacing: pacing)
    }

    /// A copy without a bandwidth limit, for a reader that ignores `hasBytesAvailable`.
    func unthrottledCopy() throws -> InputStream {
        try copy(pacing: .unlimited)
    }

    private func copy(pacing: MultipartPacing) throws -> MultipartBodyStream {
        for part in parts {
            if case .stream(let stream) = part.body, stream.isSpent { throw StreamPart.spent }
        }
        return try MultipartBodyStream(parts, boundary: boundary, pacing: pacing, clock: clock)
    }

    // MARK: Reading

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard status != .closed else { return 0 }
        guard status != .error else { return -1 }
        let most = min(len, pacing.packetSize)
        guard most > 0 else { return 0 }
        let target = UnsafeMutableRawBufferPointer(start: buffer, count: most)
        do {
            let count = try fill(target)
            if count > 0, pacing.pause > 0 {
                pausedUntil = clock() &+ pacing.pause
            }
            return count
        } catch {
            fail(error)
            return -1
        }
    }

    /// Fills the buffer from as many phases as needed.
    private func fill(_ target: UnsafeMutableRawBufferPointer) throws -> Int {
        var count = 0
        while count < target.count, let source = try currentSource() {
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[count...])
            switch try source.read(into: rest, mayWait: count == 0) {
            case .bytes(let more): count += more
            case .notReady: return count
            case .end: advance()
            }
        }
        return count
    }

    /// Nil after the last part.
    private func currentSource() throws -> (any PartSource)? {
        if let source { return source }
        while index < parts.count {
            source = try parts[index].source(of: phase, boundary: boundary, isFirst: index == 0)
            if let source { return source }
            index += 1
            phase = .boundary
        }
        return nil
    }

    private func advance() {
        source?.finish()
        source = nil
        phase = phase.next(isLast: index == parts.count - 1)
    }

    private func fail(_ error: any Error) {
        source?.finish()
        source = nil
        failure =
            error as? MultipartError
            ?? MultipartError(.streamFailed, "The body failed.", underlying: error)
        status = .error
    }

    // MARK: Other members of a stream

    override func open() {
        if status == .notOpen {
            status = .open
        }
    }

    override func close() {
        source?.finish()
        source = nil
        index = parts.count
        status = .closed
    }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { failure }

    /// True from open to close, even at the end; false during a pause, and while a caller's stream has no bytes.
    override var hasBytesAvailable: Bool {
        guard status == .open, source?.isReady != false else { return false }
        return pausedUntil == 0 || clock() >= pausedUntil
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
        false
    }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}

/// Limits the size of reads, with a pause after each.
struct MultipartPacing: Sendable {
    /// In bytes.
    let packetSize: Int
    /// In nanoseconds.
    let pause: UInt64

    static let unlimited = MultipartPacing(packetSize: .max, delay: 0)

    /// A longer delay is most likely in a wrong unit.
    private static let longestDelay: TimeInterval = 86_400

    /// - Parameters:
    ///   - packetSize: less than 1 is no limit.
    ///   - delay: in seconds; a negative or infinite one, or NaN, is none, and more than a day is a day.
    init(packetSize: Int, delay: TimeInterval) {
        self.packetSize = packetSize < 1 ? .max : packetSize
        pause = delay > 0 && delay.isFinite ? UInt64(min(delay, Self.longestDelay) * 1e9) : 0
    }
}
