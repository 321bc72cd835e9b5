import CurlConnection
import Foundation
import Locking

/// The bytes of one phase of a part, read in order by one thread.
package protocol PartSource: AnyObject {
    /// Whether `read` does not have to wait.
    var isReady: Bool { get }

    /// Reads the next bytes. Not called after an error.
    ///
    /// - Parameter mayWait: whether the call may block until there are bytes; otherwise it returns `notReady`.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, mayWait: Bool
    ) throws(MultipartError) -> PartPortion

    /// Closes what it reads; may be called again.
    func finish()
}

/// The result of one read.
package enum PartPortion: Equatable {
    case bytes(Int)
    /// No bytes yet.
    case notReady
    case end
}

/// Bytes in memory.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: nowhere.
final class DataSource: PartSource {
    private let bytes: Data
    private var position: Int

    init(_ bytes: Data) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    let isReady = true

    func read(
        into buffer: UnsafeMutableRawBufferPointer, mayWait: Bool
    ) throws(MultipartError) -> PartPortion {
        let count = min(buffer.count, bytes.endIndex - position)
        guard count > 0 else { return .end }
        bytes.copyBytes(to: buffer, from: position..<position + count)
        position += count
        return .bytes(count)
    }

    func finish() {}
}

/// A caller's stream, and its length as the caller declares it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the stream. Calls out: nowhere; `StreamSource` reads the stream.
final class StreamPart: Sendable {
    let length: Int64
    /// Nil once the first reader has taken it.
    private let stream: Locked<InputStream?>
    /// Whether it reads a file, so that its calls may block.
    let mayBeSlow: Bool

    init(_ stream: InputStream, length: Int64) {
        mayBeSlow = stream.mayBeSlow
        self.stream = Locked(stream)
        self.length = length
    }

    /// Whether a reader has taken the stream.
    var isSpent: Bool { stream.withLock { $0 == nil } }

    /// Whether its calls may wait for another process. Calls `stat`, which may block.
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

/// Reads a stream part, and checks that it has exactly the declared length.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: the caller's stream, on that thread. A form with a stream of a file,
/// which may block, is not read on the network thread.
final class StreamSource: PartSource {
    private let stream: InputStream
    private let length: Int64
    /// Whether reading one more byte could block for ever.
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
        let missing = min(Int64(buffer.count), length - position)
        if missing == 0 {
            // A stream without further bytes is complete, even if it is not at its end.
            guard !isPipe, isReady, try take(1, into: nil) > 0 else { return .end }
            throw tooLong
        }
        // A pipe reports that it is ready even if a read would block.
        guard mayWait || !isPipe && isReady else { return .notReady }
        // A pipe is not read again, so one more byte is requested now.
        let wanted = isPipe && Int64(buffer.count) > missing ? missing + 1 : missing
        let count = try take(Int(wanted), into: buffer.bindMemory(to: UInt8.self).baseAddress)
        guard count <= missing else { throw tooLong }
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
            .streamLengthDiffers, "A stream part had more than the \(length) bytes declared.")
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
            // `streamError` crashes if there is none.
            let error = stream.streamStatus == .error ? stream.streamError : nil
            throw MultipartError(.streamFailed, "A stream part failed.", underlying: error)
        }
        return result
    }

    /// Foundation's stream of empty data reports no bytes, but can be read.
    private var isMemory: Bool {
        type(of: stream) == InputStream.self
            && stream.property(forKey: .fileCurrentOffsetKey) == nil
    }
}
