public import Foundation

/// A response as a list of steps that the server runs in order.
///
/// After the last step the server keeps the connection for the next request, unless the request
/// asked for a close or its body was not read. The steps have the bytes of the head too; the functions
/// that make responses write a complete head. The server itself leaves out the body of the response
/// to a `HEAD` request.
public struct ScriptedResponse: Sendable {
    /// One step of a response.
    public enum Step: Sendable {
        /// Sends these bytes as they are.
        case bytes(Data)
        /// Sends a range of `GeneratedBytes`; offsets in bytes.
        case generated(seed: UInt64, range: Range<Int64>)
        /// Sends a range of `GeneratedBytes`, at most `bytesPerSecond` each second.
        case paced(seed: UInt64, range: Range<Int64>, bytesPerSecond: Double)
        /// Pauses this response; other connections continue.
        case sleep(seconds: Double)
        /// Pauses until `LoopbackServer.release(_:)` opens the gate.
        case wait(gate: String)
        /// Keeps the connection open and never continues.
        case stall
        /// Closes the connection with FIN, over TLS after a close_notify alert; later steps do
        /// not run.
        case close
        /// Closes the connection with FIN and, over TLS, without a close_notify alert, as an
        /// attacker on the path could do; later steps do not run.
        case cut
        /// Closes the connection with RST; later steps do not run.
        case reset
        /// Reads the rest of the request's body.
        ///
        /// For routes that were added with `beforeBody: true`.
        case readBody
        /// Reads the rest of the request's body, at most this many bytes a second.
        case readBodySlowly(bytesPerSecond: Double)
    }

    /// The steps in order.
    public var steps: [Step]

    /// A response of these steps.
    public init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// This response followed by more steps.
    public func then(_ more: Step...) -> ScriptedResponse {
        ScriptedResponse(steps + more)
    }

    /// More steps followed by this response.
    public func after(_ first: Step...) -> ScriptedResponse {
        ScriptedResponse(first + steps)
    }

    /// The response to `HEAD`: without the bytes after the first final head.
    ///
    /// Pauses after the head are left out too; gates, stalls and closes stay.
    func withoutBody() -> ScriptedResponse {
        var kept: [Step] = []
        var text = Data()
        var headEnded = false
        for step in steps {
            switch step {
            case .bytes(let data) where !headEnded:
                let before = text.count
                text.append(data)
                if let end = ScriptedResponse.finalHead(text).end {
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
        return ScriptedResponse(kept)
    }

    /// The status that the client takes as the response's; of heads with 1xx alone the last, and 0 without a head.
    var finalStatus: Int {
        var text = Data()
        for case .bytes(let data) in steps {
            text.append(data)
            if ScriptedResponse.finalHead(text).end != nil { break }
        }
        let start = ScriptedResponse.finalHead(text).start
        let line = String(decoding: text.dropFirst(start).prefix(12), as: UTF8.self)
        return line.hasPrefix("HTTP/1.") ? Int(line.suffix(3)) ?? 0 : 0
    }

    /// Where the first head whose status is not 1xx begins, and the index after it, if all of it is there; without one,
    /// where the last head begins.
    private static func finalHead(_ data: Data) -> (start: Int, end: Int?) {
        data.withUnsafeBytes { bytes in
            var start = 0
            while let end = HeaderLines.headEnd(in: bytes, from: start) {
                let interim = start + 9 < end && bytes[start + 9] == 0x31
                if !interim { return (start, end) }
                if end == bytes.count { break }
                start = end
            }
            return (start, nil)
        }
    }
}

/// The former name of `ScriptedResponse`.
@available(*, deprecated, renamed: "ScriptedResponse")
public typealias Answer = ScriptedResponse
