import EventRecorder
import Foundation
import FoundationNetworking

/// Bytes to send: from data, from a file or from a stream; read in order, rewound where possible.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none. Calls out: a caller's stream is read on that thread,
/// and only while it says that it has bytes, so that it does not stop other transfers. A stream that may be
/// slow, such as a file's, is read away from it (`WaitingInput`).
final class RequestBody {
    enum Portion {
        case bytes(Int)
        case end
        /// The source has none now. It says when it has; or it must be asked again after a while.
        case dry(isAskedAgain: Bool)
        case failed(any Error)
    }

    private enum Source {
        case data(Data)
        case stream(InputStream)
        case waiting(WaitingInput)
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
        source =
            stream.mayBeSlow ? .waiting(WaitingInput(stream, length: length)) : .stream(stream)
        self.length = length
    }

    /// Has a block called, on any thread, when there are bytes again after `dry`. Before the first read.
    func whenReady(_ block: @escaping @Sendable () -> Void) {
        if case .waiting(let input) = source { input.whenReady(block) }
    }

    /// Whether another thread reads it, since it may be slow.
    var isReadElsewhere: Bool {
        if case .waiting = source { return true }
        return false
    }

    /// The next bytes, at most as many as `buffer` holds.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Portion {
        let left = (length ?? .max) - position
        let room = min(Int64(buffer.count), left)
        guard room > 0 else { return .end }
        let portion =
            switch source {
            case .data(let data): copy(data, into: buffer, atMost: Int(room))
            case .stream(let stream): Self.read(stream, into: buffer, atMost: Int(room))
            case .waiting(let input): Self.read(input, into: buffer, atMost: Int(room))
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

    /// Goes back to the first byte.
    ///
    /// - Returns: false for a stream that cannot; it must be replaced by a new one.
    func rewind() -> Bool {
        if position == 0 { return true }
        let isRewound =
            switch source {
            case .data: true
            case .waiting(let input): input.rewind()
            case .stream(let stream): stream.rewind()
            }
        if isRewound { position = 0 }
        return isRewound
    }

    func close() {
        switch source {
        case .data: break
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
            guard let count = try input.read(into: part) else {
                return .dry(isAskedAgain: input.isAskedAgain)
            }
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
        guard stream.hasBytesAvailable || isMemory(stream) else { return .dry(isAskedAgain: true) }
        guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else {
            return .dry(isAskedAgain: true)
        }
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

/// The source of a load's body, which is rewound or replaced where the body is sent again.
struct BodySource {
    /// What there is to send.
    enum Supply {
        case body(RequestBody?)
        /// The stream was read already, and another one with the same bytes is needed.
        ///
        /// Where there is none, this one may be sent as the caller gave it; nil where that would be a
        /// part of the body.
        case spent(InputStream?)
    }

    private var body: RequestBody?
    /// The stream of the request whose body is `body`.
    private var stream: InputStream?
    private var replacement: InputStream?

    init() {}

    /// The body that a request is sent with.
    init(_ body: RequestBody?, for request: URLRequest) {
        self.body = body
        stream = request.httpBodyStream
    }

    /// The body for a request that is about to be sent. It calls the stream, so it is to be called on a copy.
    func supply(for request: URLRequest) -> Supply {
        guard let stream = request.httpBodyStream else {
            let needsLength = ["POST", "PUT", "PATCH"].contains(request.httpMethod)
            let data = request.httpBody ?? (needsLength ? Data() : nil)
            return .body(data.map { Self.framed(RequestBody($0), for: request) })
        }
        if let replacement { return .body(Self.body(of: replacement, for: request)) }
        if stream === self.stream, let body {
            return body.rewind() ? .body(Self.framed(body, for: request)) : .spent(nil)
        }
        if stream.streamStatus == .closed || stream.streamStatus == .atEnd { return .spent(stream) }
        return .body(Self.body(of: stream, for: request))
    }

    /// A copy of which the next request sends another stream with the same bytes.
    func replaced(with stream: InputStream) -> BodySource {
        var copy = self
        copy.replacement = stream
        return copy
    }

    func close() { body?.close() }

    /// The body of a stream with the bytes of the request's.
    static func body(of stream: InputStream, for request: URLRequest) -> RequestBody {
        framed(RequestBody(stream, length: declaredLength(of: request)), for: request)
    }

    private static func framed(_ body: RequestBody, for request: URLRequest) -> RequestBody {
        body.isChunked = request.value(forHTTPHeaderField: "Transfer-Encoding") != nil
        return body
    }

    /// The caller's Content-Length, in bytes.
    private static func declaredLength(of request: URLRequest) -> Int64? {
        request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap {
            $0 < 0 ? nil : $0
        }
    }
}
