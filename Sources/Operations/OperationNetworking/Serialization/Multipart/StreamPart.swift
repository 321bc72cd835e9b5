import CurlConnection
import Foundation
import Locking

/// A caller's stream and the number of bytes that the caller declares for it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the stream. Calls out: nowhere; the reader that took the
/// stream reads it on its own thread.
final class StreamPart: Sendable {
    let length: Int64
    /// Nil once a reader has taken it, the first that asked.
    private let stream: Locked<InputStream?>
    /// Whether it is of a file, so that its calls may wait.
    let mayBeSlow: Bool

    init(_ stream: InputStream, length: Int64) {
        mayBeSlow = stream.mayBeSlow
        self.stream = Locked(stream)
        self.length = length
    }

    /// Whether a reader has taken the stream.
    var isSpent: Bool { stream.withLock { $0 == nil } }

    /// Whether its calls may wait for a peer. Looks at the file, which may take long.
    var mayWait: Bool { stream.withLock { $0 }?.mayWait == true }

    static var spent: MultipartError {
        MultipartError(
            .streamSpent, "The body has a part from a stream, which can be sent only once.")
    }

    fileprivate func take() throws(MultipartError) -> InputStream {
        guard let stream = stream.withLock({ $0.take() }) else { throw Self.spent }
        return stream
    }
}

/// Reads a stream part and checks that it gives exactly the bytes declared.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: the caller's stream, on that thread. That of a file may keep it
/// waiting, so a form with one is not read on the network thread.
final class StreamSource: PartSource {
    private let stream: InputStream
    private let length: Int64
    /// Whether a read for one byte more could wait for ever.
    private let isPipe: Bool
    private var position: Int64 = 0

    init(_ part: StreamPart) throws(MultipartError) {
        stream = try part.take()
        length = part.length
        isPipe = part.mayBeSlow && stream.mayWait
        if stream.streamStatus == .notOpen { stream.openHere() }
    }

    deinit {
        finish()
    }

    var isReady: Bool {
        switch stream.streamStatus {
        case .atEnd, .closed, .error: true
        default: stream.hasBytesAvailable || isMemory
        }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, mayWait: Bool
    ) throws(MultipartError) -> PartPortion {
        let room = min(Int64(buffer.count), length - position)
        if room == 0 {
            // A stream that stays open and offers no further byte has given what was declared.
            guard !isPipe, isReady, try take(1, into: nil) > 0 else { return .end }
            throw tooLong
        }
        // A pipe says that it is ready also where a read would wait.
        guard mayWait || !isPipe && isReady else { return .dry }
        // A pipe that has more gives it at once, or is not asked again.
        let wanted = isPipe && Int64(buffer.count) > room ? room + 1 : room
        let count = try take(Int(wanted), into: buffer.bindMemory(to: UInt8.self).baseAddress)
        guard count <= room else { throw tooLong }
        guard count > 0 else {
            throw MultipartError(
                .streamLengthDiffers,
                "A stream part ended after \(position) of the \(length) bytes declared.")
        }
        position += Int64(count)
        return .bytes(count)
    }

    func finish() {
        if stream.streamStatus != .closed {
            stream.close()
        }
    }

    private var tooLong: MultipartError {
        MultipartError(
            .streamLengthDiffers, "A stream part gave more than the \(length) bytes declared.")
    }

    /// Without a buffer the bytes are discarded.
    private func take(
        _ count: Int, into buffer: UnsafeMutablePointer<UInt8>?
    ) throws(MultipartError) -> Int {
        if stream.streamStatus == .atEnd || stream.streamStatus == .closed { return 0 }
        var dropped: UInt8 = 0
        let result =
            buffer.map { stream.read($0, maxLength: count) }
            ?? stream.read(&dropped, maxLength: 1)
        guard result >= 0, stream.streamStatus != .error else {
            // Foundation stops the process when a stream is asked for an error that it does not
            // have.
            let error = stream.streamStatus == .error ? stream.streamError : nil
            throw MultipartError(.streamFailed, "A stream part failed.", underlying: error)
        }
        return result
    }

    /// Foundation's own stream over empty data says that it has no bytes, and can be read all the
    /// same.
    private var isMemory: Bool {
        type(of: stream) == InputStream.self
            && stream.property(forKey: .fileCurrentOffsetKey) == nil
    }
}
