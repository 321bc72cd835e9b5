import EventRecorder
import Foundation

/// Bytes to send: from data, from a file or from a stream; read in order, rewound where possible.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none. Calls out: a caller's stream is read on that thread,
/// and only while it says that it has bytes, so that it does not stop other transfers. A stream that may
/// wait all the same is read on a thread of its own.
final class RequestBody {
    enum Portion {
        case bytes(Int)
        case end
        /// The source has none now; ask again later.
        case dry
        case failed(any Error)
    }

    private enum Source {
        case data(Data)
        case stream(InputStream)
        case waiting(WaitingInput)
        case refused(URLError)
    }

    /// The number of bytes; nil where the caller did not say, and then it is sent in chunks.
    let length: Int64?
    /// Whether it is sent in chunks although its length is known, as the caller wishes.
    var isChunked = false
    private let source: Source
    private var position: Int64 = 0

    init(_ data: Data) {
        source = .data(data)
        length = Int64(data.count)
    }

    /// - Parameter length: what the request's Content-Length declares, in bytes.
    init(_ stream: InputStream, length: Int64?) {
        do throws(URLError) {
            source = stream.mayWait ? .waiting(try WaitingInput(stream)) : .stream(stream)
        } catch {
            source = .refused(error)
        }
        self.length = length
    }

    /// The next bytes, at most as many as `buffer` holds.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Portion {
        let left = (length ?? .max) - position
        var room = min(Int64(buffer.count), left)
        guard room > 0 else { return .end }
        if room > 4096, room < left, liesBadly(buffer) {
            room -= 2048
        }
        let portion =
            switch source {
            case .data(let data): copy(data, into: buffer, atMost: Int(room))
            case .stream(let stream): Self.read(stream, into: buffer, atMost: Int(room))
            case .waiting(let input): Self.read(input, into: buffer, atMost: Int(room))
            case .refused(let error): Portion.failed(error)
            }
        switch portion {
        case .bytes(let count):
            position += Int64(count)
        case .end:
            if let length, position < length {
                return .failed(Self.endedEarly(at: position, declared: length))
            }
        case .dry, .failed:
            break
        }
        return portion
    }

    /// Whether the copy would be slow: where the destination's offset in its page is a little larger
    /// than the source's, the processor takes the two for overlapping and copies five times slower.
    ///
    /// glibc's large buffers begin 16 bytes into a page. So all pieces of whole pages would be copied
    /// slowly, unless one before them is half a page shorter.
    private func liesBadly(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        guard case .stream = source else { return false }
        return (1..<64).contains((Int(bitPattern: buffer.baseAddress) - Int(position)) & 4095)
    }

    /// Goes back to the first byte.
    ///
    /// - Returns: false for a stream that cannot; it must be replaced by a new one.
    func rewind() -> Bool {
        if position == 0 { return true }
        switch source {
        case .data:
            break
        case .waiting, .refused:
            return false
        case .stream(let stream):
            let isSet = stream.setProperty(NSNumber(value: 0), forKey: .fileCurrentOffsetKey)
            let offset = stream.property(forKey: .fileCurrentOffsetKey) as? NSNumber
            // A stream at its end stays there, whatever its offset says.
            guard isSet, offset?.int64Value == 0, stream.streamStatus != .atEnd else {
                return false
            }
        }
        position = 0
        return true
    }

    func close() {
        switch source {
        case .data, .refused: break
        case .stream(let stream): stream.close()
        case .waiting(let input): input.close()
        }
    }

    private func copy(
        _ data: Data, into buffer: UnsafeMutableRawBufferPointer, atMost room: Int
    ) -> Portion {
        let start = data.startIndex + Int(position)
        data.copyBytes(
            to: buffer.bindMemory(to: UInt8.self), from: start..<(start + room))
        return .bytes(room)
    }

    private static func read(
        _ input: WaitingInput, into buffer: UnsafeMutableRawBufferPointer, atMost room: Int
    ) -> Portion {
        do {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
            guard let count = try input.read(into: part) else { return .dry }
            return count == 0 ? .end : .bytes(count)
        } catch {
            return .failed(error)
        }
    }

    private static func read(
        _ stream: InputStream, into buffer: UnsafeMutableRawBufferPointer, atMost room: Int
    ) -> Portion {
        if stream.streamStatus == .notOpen {
            stream.open()
        }
        if stream.streamStatus == .atEnd { return .end }
        if stream.streamStatus == .error || stream.streamStatus == .closed {
            return .failed(stream.readingError)
        }
        guard stream.hasBytesAvailable || isMemory(stream) else { return .dry }
        guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return .dry }
        let count = stream.read(start, maxLength: room)
        if count < 0 {
            return .failed(stream.readingError)
        }
        return count == 0 ? .end : .bytes(count)
    }

    /// Foundation's stream over empty data says that it has no bytes, and must be read to be at its end.
    private static func isMemory(_ stream: InputStream) -> Bool {
        type(of: stream) == InputStream.self
            && stream.property(forKey: .fileCurrentOffsetKey) == nil
    }

    private static func endedEarly(at position: Int64, declared: Int64) -> URLError {
        URLError(
            .requestBodyStreamExhausted,
            described: [
                NSLocalizedDescriptionKey:
                    "The body stream ended after \(position) of the \(declared) bytes declared."
            ])
    }
}
