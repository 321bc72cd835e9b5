import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

/// Stores the bytes of a response in memory or in the caller's stream (ST-1 to ST-9), or passes them to a task.
///
/// Bytes count as received once they are stored. A partial write is continued, a failed one fails the operation, and a
/// stream that takes nothing suspends its own transfer.
///
/// ## Concurrency
/// Call from: the network thread. Lock: none. Calls out: the caller's stream is called on that thread, and written only
/// while it has space; a stream of a file is called on other threads (`WaitingOutput`).
final class ResponseBody {
    /// The caller's; nil collects in memory.
    private let stream: OutputStream?
    let reader: BodyChannel?
    /// For a stream whose calls may block.
    private let waitingOutput: WaitingOutput?
    // Unchecked for speed: each piece of a body changes them, and no stream is called meanwhile.

    @exclusivity(unchecked) private var memory = Data()
    /// The response's announced length, until its first byte.
    @exclusivity(unchecked) private var announced = 0
    /// Bytes received that the stream has not taken yet.
    @exclusivity(unchecked) private var waiting = Data()
    /// Bytes at the start of the next response that are stored already.
    @exclusivity(unchecked) private var toSkip: Int64 = 0
    @exclusivity(unchecked) private(set) var storedCount: Int64 = 0

    /// An end that waits until the file was written.
    struct HeldEnd {
        let failure: (any Error)?
        let connection: URLConnection?
        /// Ends the wait for a disk that does not respond; it retains the operation meanwhile.
        var timer: Timer?
    }

    @exclusivity(unchecked) var heldEnd: HeldEnd?

    /// The limit for memory, also for a caller's memory stream; nil otherwise.
    private let memoryLimit: Int64?

    /// - Parameters:
    ///   - stream: the caller's; without it and a reader, the bytes are collected in memory.
    ///   - limit: for memory.
    ///   - moved: called on another thread when a stream that reports it can take bytes again or has failed.
    init(
        _ stream: OutputStream?, reader: BodyChannel? = nil, limit: LoadLimits = LoadLimits(),
        moved: (@Sendable () -> Void)? = nil
    ) {
        self.stream = stream
        self.reader = reader
        let isInMemory = reader == nil && stream?.isInMemory != false
        memoryLimit = isInMemory ? limit.bodyInMemory : nil
        let moved = moved ?? {}
        waitingOutput = stream.flatMap {
            $0.mayBeSlow ? WaitingOutput($0, moved: moved) : nil
        }
        (stream as? any SpaceReporting)?.whenSpaceAvailable(moved)
    }

    /// How a load notices that the consumer can take more. A reader has no time limit, a file has; Foundation's streams
    /// and a caller's own are polled.
    var consumer: Consumer {
        if reader != nil { return .signals(isLimited: false) }
        return waitingOutput != nil || stream is any SpaceReporting
            ? .signals(isLimited: true) : .polled
    }

    /// Whether received bytes may not be stored yet.
    var isUnsettled: Bool { waitingOutput != nil || !waiting.isEmpty }

    /// The number of bytes that must be stored before more are received; an open that blocks counts too.
    ///
    /// - Parameter isLast: whether all bytes were received, so that all must be stored.
    func waitingCount(isLast: Bool) -> Int {
        if let reader { return reader.isFull ? BodyChannel.limit : 0 }
        return waitingOutput?.excess(isLast: isLast) ?? waiting.count
    }

    func open() {
        if let waitingOutput { return waitingOutput.open() }
        if let stream, stream.streamStatus == .notOpen {
            stream.openHere()
        }
    }

    /// Passes the response to the reader, and notes its announced length.
    func begin(_ response: URLResponse) {
        if let reader { return reader.begin(response) }
        let count = response.expectedContentLength
        announced = (1...Self.reservationLimit).contains(count) ? Int(count) : 0
    }

    /// Discards bytes that were not stored; the next connection requests them again. Bytes of `WaitingOutput` stay.
    func forgetUnstored() {
        waiting = Data()
        toSkip = 0
    }

    /// Bytes stored or about to be: the offset at which the next connection continues.
    var acceptedCount: Int64 {
        storedCount + Int64(waiting.count + (waitingOutput?.waitingCount ?? 0))
    }

    /// Whether a response was shorter than the stored bytes.
    var isBehind: Bool { toSkip > 0 }

    /// Stores a piece, or as much of it as the stream takes.
    ///
    /// - Returns: the number of newly stored bytes.
    /// - Throws: the stream's error, or `LoadLimitError` for the memory.
    func take(_ piece: Data) throws -> Int {
        var piece = piece
        if toSkip > 0 {
            let count = min(Int(clamping: toSkip), piece.count)
            toSkip -= Int64(count)
            piece.removeFirst(count)
        }
        if let memoryLimit, storedCount + Int64(waiting.count + piece.count) > memoryLimit {
            throw LoadLimitError(.bodyInMemory, memoryLimit)
        }
        guard let stream else {
            if let reader { reader.put(piece) } else { collect(piece) }
            storedCount += Int64(piece.count)
            return piece.count
        }
        if let waitingOutput {
            waitingOutput.put(piece)
            return try flush()
        }
        guard waiting.isEmpty else {
            waiting.append(piece)
            return try flush()
        }
        let written = try piece.withUnsafeBytes { try write($0, to: stream) }
        if written < piece.count {
            waiting = Data(piece.dropFirst(written))
        }
        storedCount += Int64(written)
        return written
    }

    /// A body of one piece is not copied.
    private func collect(_ piece: Data) {
        if memory.isEmpty, piece.count >= announced, piece.startIndex == 0 {
            memory = piece
        } else {
            let count = memory.count + piece.count
            let becomesLarge = memory.count < Self.largeCount && count >= Self.largeCount
            if announced > 0 {
                memory.reserveCapacity(memory.count + announced)
            } else if becomesLarge {
                memory.reserveCapacity(Self.movedCount)
            }
            memory.append(piece)
        }
        announced = 0
    }

    /// Writes waiting bytes, as far as the stream takes them.
    ///
    /// - Returns: the number of newly stored bytes.
    func flush() throws -> Int {
        if let waitingOutput {
            let written = try waitingOutput.takeWritten()
            storedCount += Int64(written)
            return written
        }
        guard let stream, !waiting.isEmpty else { return 0 }
        let written = try waiting.withUnsafeBytes { try write($0, to: stream) }
        waiting = written == waiting.count ? Data() : Data(waiting.dropFirst(written))
        storedCount += Int64(written)
        return written
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to stream: OutputStream) throws -> Int {
        let bytes = bytes.bindMemory(to: UInt8.self)
        var done = 0
        while done < bytes.count, let start = bytes.baseAddress {
            guard stream.hasSpaceAvailable else {
                try Self.check(stream)
                break
            }
            let count = stream.write(start + done, maxLength: bytes.count - done)
            guard count >= 0 else { throw stream.writingError }
            if count == 0 { break }
            done += min(count, bytes.count - done)
        }
        return done
    }

    /// The stream's error, also if nothing was written.
    var failure: (any Error)? {
        if let waitingOutput { return waitingOutput.failure }
        return stream.flatMap(\.ownError)
    }

    /// Writes the accepted bytes to a stream of a file and closes it, on another thread.
    ///
    /// - Parameters:
    ///   - isCancelled: whether only the write under way is finished.
    ///   - keepsAll: whether a pipe or a device gets all bytes too.
    /// - Returns: whether that is done.
    func settle(isCancelled: Bool, keepsAll: Bool) -> Bool {
        waitingOutput?.settle(isCancelled: isCancelled, keepsAll: keepsAll) ?? true
    }

    /// Closes the stream; a stream of a file that is not settled is closed by its own thread.
    ///
    /// - Returns: the bytes in memory, also of a caller's memory stream; nil for other streams.
    func finish() -> Data? {
        guard let stream else { return reader == nil ? memory : nil }
        if let waitingOutput {
            waitingOutput.leave()
            return nil
        }
        let data = stream.property(forKey: .dataWrittenToMemoryStreamKey) as? NSData
        stream.close()
        // A cast to Data takes 70 ms a MiB in Foundation on Linux.
        return data.map { Data(bytes: $0.bytes, count: $0.length) }
    }

    /// Whether the stream's own thread is in a call that blocks, and closes the stream after it.
    var isStreamLeft: Bool { waitingOutput?.isLeft == true }

    /// Closes the stream of an operation that is released while it is paused.
    ///
    /// - Returns: whether the given stream is that one.
    func close(_ stream: OutputStream?) -> Bool {
        if settle(isCancelled: false, keepsAll: false) { _ = finish() }
        return stream === self.stream
    }

    /// Prepares for a response that begins at the first byte again.
    ///
    /// - Parameter isSameEntity: whether the stored bytes are known to be the response's first.
    /// - Returns: false if that is impossible: a stream's bytes cannot be removed.
    func startOver(isSameEntity: Bool) -> Bool {
        if stream == nil, reader == nil {
            memory = Data()
            storedCount = 0
            return true
        }
        guard acceptedCount == 0 || isSameEntity else { return false }
        toSkip = acceptedCount
        return true
    }

    private static let reservationLimit: Int64 = 1 << 26
    /// A large body grows without being copied: the C library always maps blocks of more than 32 MiB, and the kernel
    /// moves them. Unused pages take no memory.
    private static let (largeCount, movedCount) = (4 << 20, 40 << 20)

    /// A stream that is not open has failed; one without space has not.
    private static func check(_ stream: OutputStream) throws {
        switch stream.streamStatus {
        case .error, .closed, .notOpen: throw stream.writingError
        default: break
        }
    }
}

/// A stream that reports when it can take bytes again; others are polled.
protocol SpaceReporting: OutputStream {
    /// Sets a block to be called, on any thread, when it can take bytes again after it took none, or has failed.
    func whenSpaceAvailable(_ block: @escaping @Sendable () -> Void)
}

extension OutputStream {
    var isInMemory: Bool { property(forKey: .dataWrittenToMemoryStreamKey) != nil }

    /// On Linux, reading `streamError` of a stream without an error stops the process.
    var ownError: (any Error)? { streamStatus == .error ? streamError : nil }

    var writingError: any Error {
        ownError
            ?? URLError(
                .cannotWriteToFile,
                described: [NSLocalizedDescriptionKey: "The output stream took no more bytes."])
    }
}
