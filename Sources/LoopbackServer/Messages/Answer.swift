public import Foundation

/// What the server sends for a request: a list of steps that the loop runs in order.
///
/// After the last step the connection is kept for the next request, unless the request asked
/// for a close. The steps hold the bytes of the head too; the functions that make answers write
/// a complete head. For a `HEAD` request the server leaves the body out by itself.
public struct Answer: Sendable {
    /// One thing to do before the next.
    public enum Step: Sendable {
        /// Sends these bytes as they are.
        case bytes(Data)
        /// Sends a range of `GeneratedBytes`; offsets in bytes.
        case generated(seed: UInt64, range: Range<Int64>)
        /// The same, at most this many bytes a second.
        case paced(seed: UInt64, range: Range<Int64>, bytesPerSecond: Double)
        /// Pauses this answer; other connections go on.
        case sleep(seconds: Double)
        /// Stops here until `LoopbackServer.release(_:)` opens the gate.
        case wait(gate: String)
        /// Keeps the connection open and never goes on.
        case stall
        /// Closes the connection with FIN, over TLS after its notice of the end; later steps do
        /// not run.
        case close
        /// Closes the connection with FIN and, over TLS, without the notice of the end, as
        /// somebody on the way could do; later steps do not run.
        case cut
        /// Closes the connection with RST; later steps do not run.
        case reset
        /// Reads the rest of the request's body.
        ///
        /// Of use in routes added with `beforeBody: true`.
        case readBody
        /// Reads the rest of the request's body, at most this many bytes a second.
        case readBodySlowly(bytesPerSecond: Double)
    }

    /// The steps in order.
    public var steps: [Step]

    /// An answer of these steps.
    public init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// This answer and then more steps.
    public func then(_ more: Step...) -> Answer {
        Answer(steps + more)
    }

    /// More steps and then this answer.
    public func after(_ first: Step...) -> Answer {
        Answer(first + steps)
    }

    /// The answer to `HEAD`: nothing that follows the first final head is sent.
    ///
    /// Pauses behind the head go too; gates, stalls and closes stay.
    func withoutBody() -> Answer {
        var kept: [Step] = []
        var text = Data()
        var headEnded = false
        for step in steps {
            switch step {
            case .bytes(let data) where !headEnded:
                let before = text.count
                text.append(data)
                if let end = Answer.finalHeadEnd(text) {
                    headEnded = true
                    kept.append(.bytes(data.prefix(end - before)))
                } else {
                    kept.append(step)
                }
            case .bytes, .generated, .paced, .sleep:
                if !headEnded { kept.append(step) }
            case .wait, .stall, .close, .cut, .reset, .readBody, .readBodySlowly:
                kept.append(step)
            }
        }
        return Answer(kept)
    }

    /// The index behind the first head whose status is not 1xx.
    private static func finalHeadEnd(_ data: Data) -> Int? {
        data.withUnsafeBytes { bytes in
            var start = 0
            while let end = HeaderLines.headEnd(in: bytes, from: start) {
                let interim = start + 9 < end && bytes[start + 9] == 0x31
                if !interim { return end }
                start = end
            }
            return nil
        }
    }
}
