import Foundation
import ParitySupport

/// Why multipart requests differ from their recordings, and how exactly.
enum MultipartRules {
    static let all: [ParityRule] = [
        ParityRule(
            .wound(38), "GET and HEAD are refused with an error, no exception.",
            .on("method-GET", fails: -1000, "'http://example.com/up' is no URL")
        ) {
            guard $0.output["exception"] == "NSInternalInconsistencyException",
                let method = $0.input["method"]?.string, ["GET", "HEAD"].contains(method)
            else { return nil }
            return .failure(-1000, "A \(method) request has no multipart body.")
        },
        ParityRule(
            .wound(38), "Text that is no URL is an error, not an exception.",
            .on(MadeUp.badURL, fails: -1000, "'http://a' is no URL")
        ) {
            guard $0.output["reason"] == "Invalid parameter not satisfying: url",
                let text = $0.input["url"]?.string
            else { return nil }
            return .failure(-1000, "'\(text.prefix(200))' is no URL")
        },
        ParityRule(
            .wound(38), "A nil URL cannot be said in Swift.",
            .on(MadeUp.nilURL, fails: -1000, "'' is no URL")
        ) {
            $0.input["url"]?.isNil == true ? .unsayable("a nil URL") : nil
        },
        ParityRule(
            .wound(38), "Nil in place of an argument cannot be said in Swift.",
            .on("file-nil-data", with: "bodyBase64", Refusal.body("junk")),
            .on("file-nil-data", with: "partLog", [["exception": "nil"], ["exception": "nil"]]),
            allowed: withoutNil),
        ParityRule(
            .wound(38), "Parameters that are no dictionary do not compile.",
            .on("params-array-top", recordedWith: "bodyBase64", Refusal.body("junk")),
            .on("params-array-top") { _, _ in .unsayable("a nil URL") }
        ) {
            guard let parameters = $0.input["params"]?.object, !(parameters is NSDictionary),
                !(parameters is [String: Any])
            else { return nil }
            return .unsayable("Parameters are a dictionary.")
        },
        ParityRule(
            .wound(21), "A control character in a part header is refused.",
            .on("file-crlf-mime", fails: -1000, "A POST request has no multipart body.")
        ) {
            parts($0).lazy.compactMap(controlCharacter).first.map { .failure(-1000, $0) }
        },
        ParityRule(
            .wound(21), "Quotes and line breaks in names are escaped.",
            .on("file-quote-name", with: "bodyBase64", Refusal.body("junk")),
            .on("file-quote-name", with: "streamContentLength", 1)
        ) { recorded in
            EscapedNames.body(of: recorded).map { withBody($0, recorded) }
        },
        ParityRule(
            .wound(18), "A negative length is refused.",
            .on("stream-neg-length", fails: -1000, "The stream part \"s\" has the length -2.")
        ) {
            let part = parts($0).first { ($0["length"]?.int ?? 0) < 0 }
            return part.map {
                let (name, length) = ($0["name"]?.string ?? "", $0["length"]?.int ?? 0)
                return .failure(-1000, "The stream part \"\(name)\" has the length \(length).")
            }
        },
        ParityRule(
            .wound(18), "A stream of another length than declared fails.",
            .on("stream-short-length", with: "readSizes", [146, 0])
        ) {
            // Nothing is given before the whole of the first read is there.
            guard parts($0).contains(where: declaresWrongLength),
                ($0.input["chunk"]?.int ?? .max) >= ($0.output["streamContentLength"]?.int ?? .max)
            else { return nil }
            var members: [String: GoldenValue] = [
                "bodyBase64": "", "bodyLength": 0, "readSizes": [-1], "readError": -1021,
            ]
            if $0.output["copyBodyLength"] != nil {
                members["copyBodyLength"] = 0
                members["copyBodyEqualsBody"] = true
            }
            return $0.changed(members)
        },
        ParityRule(
            .wound(41), "A value that stringEncoding lacks: an error, no request.",
            .on(
                MadeUp.unencodable, fails: -1000,
                "The parameter \"a\" cannot be written in the encoding \(String.Encoding.ascii).")
        ) {
            guard let number = $0.input["config"]?["encoding"]?.int else { return nil }
            let encoding = String.Encoding(rawValue: UInt(number))
            let pair = FormField.fields(of: $0.input["params"]).first {
                $0.text.map { $0.data(using: encoding) == nil } ?? false
            }
            return pair.map {
                .failure(
                    -1000,
                    "The parameter \"\($0.name)\" cannot be written in the encoding \(encoding).")
            }
        },
        ParityRule(
            .wound(41), "A file that cannot be appended: an error, no request.",
            .on("fileurl-missing-then-form", fails: -1000, "Expected URL to be a file URL")
        ) {
            let log = $0.output["partLog"]?.elements ?? []
            let reasons = log.compactMap {
                $0["error"]?["userInfo"]?["NSLocalizedFailureReason"]?.string
            }
            return reasons.first.map { .failure(-1000, $0) }
        },
        ParityRule(
            .wound(67), "No read is larger than the packet.",
            .on("throttle", with: "readSizes", [10, 107, 0]),
            .on("throttle", with: "readSizes", [10, 0])
        ) {
            guard let size = packetSize($0), size > 0, let length = $0.output["bodyLength"]?.int,
                $0.output["readSizes"] != nil
            else { return nil }
            return $0.changed(["readSizes": reads(of: length, $0)])
        },
        ParityRule(
            .wound(67), "A packet size of 0 is no limit, not an empty body.",
            .on(MadeUp.packetOfZero, with: "bodyBase64", Refusal.body("junk"))
        ) {
            guard let size = packetSize($0), size < 1, let body = FormField.body(of: parts($0))
            else { return nil }
            return body.count == $0.output["streamContentLength"]?.int ? withBody(body, $0) : nil
        },
        ParityRule(
            .foundation, "URLRequest writes the methods it knows in upper case.",
            .on("method-get", with: "method", "POST")
        ) {
            guard let method = $0.output["method"]?.string,
                RequestRules.knownMethod(method) != method
            else { return nil }
            return $0.changed(["method": .string(RequestRules.knownMethod(method))])
        },
        ParityRule(
            .foundation, "A directory is refused when it is appended.",
            .on("fileurl-dir", fails: -1000, "File URL not reachable.")
        ) {
            guard $0.isFoundations, parts($0).count == 1, parts($0)[0]["path"] == "{tmp}",
                ["fileurl", "fileurl2"].contains(parts($0)[0]["t"]?.string)
            else { return nil }
            return .failure(-1000, "Not a regular file: {tmp}")
        },
    ]

    // MARK: What they are made of

    private static func parts(_ recorded: RecordedCase) -> [GoldenValue] {
        recorded.input["parts"]?.elements ?? []
    }

    /// The recording, where each exception for a nil that does not compile is that nil.
    private static func withoutNil(_ recorded: RecordedCase) -> GoldenValue? {
        let holdsNil = parts(recorded).map { part in
            ["name", "fileName", "mimeType", "data", "url"].contains { part[$0]?.isNil == true }
        }
        guard holdsNil.contains(true) else { return nil }
        var left = holdsNil.count { $0 }
        let log = (recorded.output["partLog"]?.elements ?? []).map { entry -> GoldenValue in
            guard entry["exception"] == "NSInternalInconsistencyException",
                entry["reason"]?.string?.hasPrefix("Invalid parameter not satisfying: ") == true
            else { return entry }
            left -= 1
            return ["exception": "nil"]
        }
        return left == 0 ? recorded.changed(["partLog": .array(log)]) : nil
    }

    /// The sentence about what a part header may not hold.
    private static func controlCharacter(_ part: GoldenValue) -> String? {
        func isRefused(_ text: String) -> Bool {
            text.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F }
        }
        func sentence(_ name: String, _ value: String) -> String? {
            isRefused(value)
                ? "A part's \(name) has a control character: \(value.debugDescription)" : nil
        }
        if let type = part["mimeType"]?.string { return sentence("Content-Type", type) }
        for (name, value) in (part["headers"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
            if isRefused(name) {
                return "A part's header name is no token: \(name.debugDescription)"
            }
            if let text = sentence(name, value.string ?? "") { return text }
        }
        return nil
    }

    private static func declaresWrongLength(_ part: GoldenValue) -> Bool {
        guard part["t"]?.string?.hasSuffix("stream") == true, let length = part["length"]?.int
        else { return false }
        return length >= 0 && length != part["data"]?.data?.count ?? 0
    }

    /// Of the last throttle, which is in force.
    private static func packetSize(_ recorded: RecordedCase) -> Int? {
        parts(recorded).last { $0["t"] == "throttle" }?["size"]?.int
    }

    /// The recording with another body, its lengths and its reads.
    private static func withBody(_ body: Data, _ recorded: RecordedCase) -> GoldenValue {
        var headers = recorded.output["headers"]?.members ?? [:]
        headers["Content-Length"] = .string("\(body.count)")
        var members: [String: GoldenValue] = [
            "bodyBase64": .string(body.base64EncodedString()), "bodyLength": .int(body.count),
            "headers": .object(headers), "streamContentLength": .int(body.count),
        ]
        if recorded.output["readSizes"] != nil {
            members["readSizes"] = reads(of: body.count, recorded)
        }
        if recorded.output["copyBodyLength"] != nil {
            members["copyBodyLength"] = .int(body.count)
        }
        return recorded.changed(members)
    }

    /// Full reads, the rest, and 0 at the end.
    private static func reads(of length: Int, _ recorded: RecordedCase) -> GoldenValue {
        let packet = packetSize(recorded).flatMap { $0 > 0 ? $0 : nil } ?? .max
        let size = min(recorded.input["chunk"]?.int ?? 65_536, packet)
        let sizes = stride(from: 0, to: length, by: size).map { min(size, length - $0) }
        return .array((sizes + [0]).map { .int($0) })
    }
}
