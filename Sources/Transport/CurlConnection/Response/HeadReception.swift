/// Reads the lines of heads until the response's head is complete.
struct HeadReception {
    private(set) var parser = ResponseHeadParser()
    private var rules: HeadRules
    /// A 401 or 407 that libcurl may answer by itself. It becomes the response where libcurl does not.
    var held: ResponseHead?

    /// When bytes of the response came last, by the monotonic clock in nanoseconds.
    var latest: UInt64 = 0

    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        rules = HeadRules(limit: limit)
    }

    /// The head that was received last.
    var head: ResponseHead? { parser.head }

    /// Whether no line of a head came.
    var isAtStart: Bool { rules.isAtStart }

    mutating func fault(in line: UnsafeRawBufferPointer, isHTTP2: Bool) -> ResponseFault? {
        rules.fault(in: line, isHTTP2: isHTTP2)
    }

    mutating func take(_ line: UnsafeRawBufferPointer) -> ResponseHead? {
        parser.take(line)
    }

    /// libcurl answers the challenge that was held, so another head follows.
    mutating func beginAgain() {
        self = HeadReception(limit: limit)
    }
}
