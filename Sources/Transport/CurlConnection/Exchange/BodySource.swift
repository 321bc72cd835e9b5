import Foundation
import FoundationNetworking

/// The source of a load's body, which is rewound or replaced where the body is sent again.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
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
    private var stream: InputStream?
    private var replacement: InputStream?

    /// The body for a request that is about to be sent.
    mutating func supply(for request: URLRequest) -> Supply {
        guard let stream = request.httpBodyStream else {
            let needsLength = ["POST", "PUT", "PATCH"].contains(request.httpMethod)
            let data = request.httpBody ?? (needsLength ? Data() : nil)
            return .body(use(data.map { RequestBody($0) }, for: request))
        }
        if let replacement { return .body(replace(with: replacement, for: request)) }
        if stream === self.stream, let body {
            return body.rewind() ? .body(use(body, for: request)) : .spent(nil)
        }
        if stream.streamStatus == .closed || stream.streamStatus == .atEnd { return .spent(stream) }
        return .body(replace(with: stream, for: request))
    }

    /// Has the next request send another stream with the same bytes.
    mutating func use(_ replacement: InputStream) {
        self.replacement = replacement
    }

    /// The body of a stream with the bytes of the request's.
    mutating func replace(with source: InputStream, for request: URLRequest) -> RequestBody {
        self.replacement = nil
        stream = request.httpBodyStream
        let made = RequestBody(source, length: Self.declaredLength(of: request))
        use(made, for: request)
        return made
    }

    @discardableResult
    private mutating func use(_ made: RequestBody?, for request: URLRequest) -> RequestBody? {
        made?.isChunked = request.value(forHTTPHeaderField: "Transfer-Encoding") != nil
        body = made
        return made
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
        replacement = nil
    }
}
