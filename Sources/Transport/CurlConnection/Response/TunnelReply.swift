import Foundation

/// What a proxy answers CONNECT with, line by line; of several answers the last.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class TunnelReply {
    private var parser = ResponseHeadParser()
    private var left: Int
    /// Whether the proxy asks for a login, or for another one.
    var wantsLogin = false

    /// - Parameter limit: bytes of all lines that are read, as `LoadLimits.head`.
    init(limit: Int) {
        left = limit
    }

    var head: ResponseHead? { parser.head }

    func take(_ line: UnsafeRawBufferPointer) {
        if parser.head != nil, line.starts(with: "HTTP/".utf8) { parser = ResponseHeadParser() }
        left -= line.count
        if left >= 0 { _ = parser.take(line) }
    }
}
