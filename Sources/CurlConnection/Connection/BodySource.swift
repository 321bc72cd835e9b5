import Foundation
import FoundationNetworking

/// The source of a load's body, which is rewound or replaced where the body is sent again.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none. Calls out: asks for a new stream there.
struct BodySource {
    private var body: RequestBody?
    private var stream: InputStream?

    /// The body for a request that is about to be sent.
    ///
    /// - Parameter newStream: called for an unopened stream with the same bytes where the stream cannot
    ///   be read again.
    /// - Throws: `URLError.requestBodyStreamExhausted` where it returns none.
    mutating func body(
        for request: URLRequest, newStream: () -> InputStream?
    ) throws(URLError) -> RequestBody? {
        if let stream = request.httpBodyStream {
            body = try body(for: request, stream, newStream)
        } else if let data = request.httpBody {
            body = RequestBody(data)
        } else {
            body =
                ["POST", "PUT", "PATCH"].contains(request.httpMethod) ? RequestBody(Data()) : nil
        }
        body?.isChunked = request.value(forHTTPHeaderField: "Transfer-Encoding") != nil
        return body
    }

    private mutating func body(
        for request: URLRequest, _ stream: InputStream, _ newStream: () -> InputStream?
    ) throws(URLError) -> RequestBody {
        let length = Self.declaredLength(of: request)
        if stream === self.stream, let body {
            if body.rewind() { return body }
            guard let replacement = newStream() else {
                throw URLError(
                    .requestBodyStreamExhausted, url: request.url,
                    text: "The body must be sent again, and its stream can be read only once.")
            }
            return RequestBody(replacement, length: length)
        }
        self.stream = stream
        if stream.streamStatus == .closed || stream.streamStatus == .atEnd,
            let replacement = newStream()
        {
            return RequestBody(replacement, length: length)
        }
        return RequestBody(stream, length: length)
    }

    /// The caller's Content-Length, in bytes.
    static func declaredLength(of request: URLRequest) -> Int64? {
        request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap {
            $0 < 0 ? nil : $0
        }
    }

    mutating func close() {
        body?.close()
        body = nil
        stream = nil
    }
}
