import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

/// Where the bytes of a response go: into memory, into the caller's stream (ST-1 to ST-9), or to a task
/// that reads them.
///
/// Bytes count as received once they are stored. A partial write goes on where it stopped, a failed
/// one fails, and a stream that takes nothing now makes its own transfer wait, no other (wounds 10,
/// 11, 33, 49).
///
/// ## Concurrency
/// Call from: the network thread. Lock: none. Calls out: the caller's stream is opened, written and
/// closed there, and only written while it says that it has room; a stream of a file, away from it
/// (`WaitingOutput`).
final class ResponseBody {
    /// The caller's; nil collects in memory.
    private let stream: OutputStream?
    /// The task that reads.
    let reader: BodyChannel?
    /// The caller's stream, where its calls may wait.
    private let waitingOutput: WaitingOutput?
    // Unchecked for speed, because each piece of a body changes them: no stream is called meanwhile.

    @exclusivity(unchecked) private var memory = Data()
    /// Bytes that the response announces, until the first of them has come.
    @exclusivity(unchecked) private var announced = 0
    /// Bytes received that the stream has not taken yet; never more than one piece.
    @exclusivity(unchecked) private var waiting = Data()
    /// Bytes at the start of the coming response that are stored already.
    @exclusivity(unchecked) private var toSkip: Int64 = 0
    /// Bytes stored so far.
    @exclusivity(unchecked) private(set) var storedCount: Int64 = 0

    /// An end that waits until the file has the bytes before it.
    struct HeldEnd {
        let failure: (any Error)?
        let connection: URLConnection?
        /// Ends the wait for a disk that does not answer; it keeps the operation meanwhile.
        var timer: Timer?
    }

    @exclusivity(unchecked) var heldEnd: HeldEnd?

    /// Bytes that may be collected in memory, also in a caller's memory stream; nil elsewhere.
    private let memoryLimit: Int64?

    /// - Parameters:
    ///   - stream: the caller's; with none and no reader the bytes are collected in memory.
    ///   - limit: how much may be collected there.
    ///   - moved: called on another thread when a stream of a file, or one that reports its room, can take
    ///     bytes again or has failed.
    init(
        _ stream: OutputStream?, reader: BodyChannel? = nil, limit: LoadLimits = LoadLimits(),
        moved: @escaping @Sendable () -> Void = {}
    ) {
        self.stream = stream
        self.reader = reader
        let isInMemory = reader == nil && stream?.isInMemory != false
        memoryLimit = isInMemory ? limit.bodyInMemory : nil
        waitingOutput = stream.flatMap {
            $0.mayBeSlow ? WaitingOutput($0, moved: moved) : nil
        }
        (stream as? any RoomReporting)?.whenRoom(moved)
    }

    /// Whether bytes may have no place yet, or a call of the stream's is to come.
    var isUnsettled: Bool { waitingOutput != nil || !waiting.isEmpty }

    /// The number of bytes that must find a place before more come; also an open that waits counts.
    ///
    /// - Parameter isLast: whether nothing more is to come, so that all must have their place.
    func waitingCount(isLast: Bool) -> Int {
        waitingOutput?.excess(isLast: isLast) ?? waiting.count
    }

    func open() {
        if let waitingOutput { return waitingOutput.open() }
        if let stream, stream.streamStatus == .notOpen {
            stream.openHere()
        }
    }

    /// Tells the reader of the head, and makes room for what it announces; a hint.
    func begin(_ response: URLResponse) {
        if let reader { return reader.begin(response) }
        let count = response.expectedContentLength
        announced = (1...Self.reservationLimit).contains(count) ? Int(count) : 0
    }

    /// Forgets what a connection brought and nobody stored; the next one brings it again. What is
    /// being written, or about to be, stays.
    func forgetUnstored() {
        waiting = Data()
        toSkip = 0
    }

    /// Bytes stored or on their way: between two connections, where the next one goes on.
    var placedCount: Int64 {
        storedCount + Int64(waiting.count + (waitingOutput?.waitingCount ?? 0))
    }

    /// Whether a response ended before the bytes that are stored already.
    var isBehind: Bool { toSkip > 0 }

    /// Stores a piece, or as much of it as there is room for.
    ///
    /// - Returns: the bytes newly stored.
    /// - Throws: the stream's error, after which nothing of the transfer can be trusted, or
    ///   `LoadLimitError` when the memory's limit is passed.
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

    /// A body that comes in one piece is that piece, and copied no more.
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

    /// Writes what waits, as far as the stream takes it.
    ///
    /// - Returns: the bytes newly stored.
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

    /// What is wrong with the stream, also when nothing had to be written.
    var failure: (any Error)? {
        if let waitingOutput { return waitingOutput.failure }
        return stream.flatMap(\.ownError)
    }

    /// Has a stream of a file get what was taken, and be closed, away from this thread.
    ///
    /// - Parameters:
    ///   - isCancelled: whether only the write under way is waited for.
    ///   - keepsAll: whether a pipe or a device gets everything too.
    /// - Returns: whether there is nothing to wait for any more.
    func settle(isCancelled: Bool, keepsAll: Bool) -> Bool {
        waitingOutput?.settle(isCancelled: isCancelled, keepsAll: keepsAll) ?? true
    }

    /// Ends the collecting and closes the stream; one of a file that is not settled is left to its line.
    ///
    /// - Returns: what is in memory, also of a caller's memory stream; nil for other streams.
    func finish() -> Data? {
        guard let stream else { return reader == nil ? memory : nil }
        if let waitingOutput {
            waitingOutput.leave()
            return nil
        }
        let data = stream.property(forKey: .dataWrittenToMemoryStreamKey) as? NSData
        stream.close()
        // Cast to Data, Foundation on Linux takes 70 ms a MiB.
        return data.map { Data(bytes: $0.bytes, count: $0.length) }
    }

    /// Whether the stream is its line's for good, which still waits in a call and closes it after.
    var isStreamLeft: Bool { waitingOutput?.isLeft == true }

    /// Closes the stream of an operation that is let go while it is paused.
    ///
    /// - Returns: whether a stream is the one, and needs no closing.
    func close(_ stream: OutputStream?) -> Bool {
        if settle(isCancelled: false, keepsAll: false) { _ = finish() }
        return stream === self.stream
    }

    /// Prepares for a response that begins at the first byte again.
    ///
    /// - Parameter isSameEntity: whether the bytes stored are known to be the response's first.
    /// - Returns: false when that is impossible: a stream's bytes cannot be taken back.
    func startOver(isSameEntity: Bool) -> Bool {
        if stream == nil, reader == nil {
            memory = Data()
            storedCount = 0
            return true
        }
        guard placedCount == 0 || isSameEntity else { return false }
        toSkip = placedCount
        return true
    }

    private static let reservationLimit: Int64 = 1 << 26
    /// A large body grows without being copied: blocks of more than 32 MiB are mapped, whatever the C library's heap
    /// has learnt, and the kernel moves them. Pages that no byte has reached take no memory.
    private static let (largeCount, movedCount) = (4 << 20, 40 << 20)

    /// No longer open is a failure; no room alone is not.
    private static func check(_ stream: OutputStream) throws {
        switch stream.streamStatus {
        case .error, .closed, .notOpen: throw stream.writingError
        default: break
        }
    }
}

/// A stream that says when it takes bytes again; others are asked time and again.
protocol RoomReporting: OutputStream {
    /// Has a block called, on any thread, when bytes were refused and there is room again, or a failure.
    func whenRoom(_ block: @escaping @Sendable () -> Void)
}

extension OutputStream {
    /// Whether it collects in memory, so that a large body would fill it.
    var isInMemory: Bool { property(forKey: .dataWrittenToMemoryStreamKey) != nil }

    /// Asked for an error that it does not have, a stream of Foundation's stops the process on
    /// Linux.
    var ownError: (any Error)? { streamStatus == .error ? streamError : nil }

    /// Why it takes no more bytes.
    var writingError: any Error {
        ownError
            ?? URLError(
                .cannotWriteToFile,
                described: [NSLocalizedDescriptionKey: "The output stream took no more bytes."])
    }
}
