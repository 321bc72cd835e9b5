import Foundation

/// Checks and reads the lines of heads until the response's head is complete.
struct HeadReception {
    private(set) var parser = ResponseHeadParser()
    private var rules: HeadRules
    /// A 401 or 407 that libcurl may answer by itself. Where it does not, this is the response.
    var held: ResponseHead?

    /// When bytes of the response were last received, in nanoseconds of the monotonic clock.
    var latest: UInt64 = 0

    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        rules = HeadRules(limit: limit)
    }

    /// The head that was received last.
    var head: ResponseHead? { parser.head }

    /// Whether no line was received.
    var isAtStart: Bool { rules.isAtStart }

    mutating func fault(in line: UnsafeRawBufferPointer, isHTTP2: Bool) -> ResponseFault? {
        rules.fault(in: line, isHTTP2: isHTTP2)
    }

    mutating func take(_ line: UnsafeRawBufferPointer) -> ResponseHead? {
        parser.take(line)
    }

    /// libcurl answers the challenge in `held`, so another head follows.
    mutating func beginAgain() {
        self = HeadReception(limit: limit)
    }
}

/// The head of a proxy's response to CONNECT: of several responses the last.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class TunnelReply {
    private var parser = ResponseHeadParser()
    private var left: Int
    /// Whether the proxy demands a login, or another one.
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
