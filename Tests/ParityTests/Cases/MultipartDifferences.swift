import Foundation

/// How a case of the multipart requests compares with its recording.
enum MultipartDifferences {
    typealias Outcome = MultipartCases.Outcome

    /// Why cases differ that are meant to. The first rule that covers a case explains it.
    struct Rule: Sendable {
        let cause: ListedDifference.Cause
        let reason: String
        let covers: @Sendable (RecordedCase, Outcome) -> Bool
    }

    static func verdict(_ recorded: RecordedCase) -> (ParityTally.Verdict, Rule?) {
        let outcome = MultipartCases.outcome(recorded.input)
        if case .request = outcome, differences(recorded, outcome).isEmpty { return (.equal, nil) }
        guard let rule = rules.first(where: { $0.covers(recorded, outcome) }) else {
            let what = differences(recorded, outcome).sorted()
            return (.other("\(what): \(outcome), recorded as \(recorded.output)"), nil)
        }
        let listed = ListedDifference(id: recorded.id, cause: rule.cause, reason: rule.reason)
        return (listed.verdict, rule)
    }

    /// The names of what differs; everything, if there is no request.
    private static func differences(_ recorded: RecordedCase, _ outcome: Outcome) -> Set<String> {
        guard case .request(let seen) = outcome else { return ["request"] }
        // `bodyUTF8` says the same as `bodyBase64`; not every case recorded its reads.
        let names = Set(recorded.output.members.keys).union(seen.keys).subtracting(["bodyUTF8"])
        return names.filter { name in
            if name == "readSizes", recorded.output[name] == nil { return false }
            guard let one = recorded.output[name], let other = seen[name] else { return true }
            return name == "headers" ? lowercased(one) != lowercased(other) : one != other
        }
    }

    private static func lowercased(_ headers: GoldenValue) -> [String: GoldenValue] {
        Dictionary(headers.members.map { ($0.key.lowercased(), $0.value) }) { $1 }
    }

    // MARK: Rules

    static let rules: [Rule] = [
        Rule(cause: .wound(38), reason: "GET and HEAD are refused with an error, no exception.") {
            isFailure($1, -1000) && $0.output["exception"] != nil
        },
        Rule(cause: .wound(38), reason: "Nil in place of an argument cannot be said in Swift.") {
            differences($0, $1) == ["partLog"] && holdsNil($0)
        },
        Rule(cause: .wound(38), reason: "Parameters that are no dictionary do not compile.") {
            if case .unsayable = $1 {
                $0.input["params"]?.object as? NSDictionary == nil
            } else {
                false
            }
        },
        Rule(cause: .wound(21), reason: "A control character in a part header is refused.") {
            isFailure($1, -1000) && holdsControlCharacter($0)
        },
        Rule(cause: .wound(21), reason: "Quotes and line breaks in names are escaped.") {
            hasEscapedNames($0, $1)
        },
        Rule(cause: .wound(18), reason: "A negative length is refused.") {
            isFailure($1, -1000) && parts($0).contains { ($0["length"]?.int ?? 0) < 0 }
        },
        Rule(cause: .wound(18), reason: "A stream of another length than declared fails.") {
            failsToRead($0, $1) && parts($0).contains(where: declaresWrongLength)
        },
        Rule(cause: .wound(41), reason: "A value that stringEncoding lacks: an error, no request.")
        {
            isFailure($1, -1000) && $0.input["config"]?["encoding"] != nil
        },
        Rule(cause: .wound(67), reason: "No read is larger than the packet.") { recorded, outcome in
            guard differences(recorded, outcome) == ["readSizes"],
                case .request(let seen) = outcome,
                let size = parts(recorded).last(where: { $0["t"]?.string == "throttle" })?["size"]?
                    .int
            else { return false }
            return seen["readSizes"]?.elements.allSatisfy { ($0.int ?? .max) <= size } == true
        },
        Rule(cause: .wound(67), reason: "A packet size of 0 is no limit, not an empty body.") {
            parts($0).contains { $0["t"]?.string == "throttle" && ($0["size"]?.int ?? 1) < 1 }
                && differences($0, $1).isSubset(of: ["bodyBase64", "bodyLength", "readSizes"])
        },
        Rule(cause: .foundation, reason: "URLRequest writes the methods it knows in upper case.") {
            guard case .request(let seen) = $1, differences($0, $1) == ["method"] else {
                return false
            }
            return seen["method"]?.string == $0.output["method"]?.string?.uppercased()
        },
        Rule(cause: .foundation, reason: "A directory is refused when it is appended.") {
            $0.isFoundations && differences($0, $1).contains("partLog")
                && parts($0).contains { $0["path"]?.string == "{tmp}" }
        },
    ]

    private static let bodyAndLengths: Set<String> = [
        "bodyBase64", "bodyLength", "headers", "readSizes", "streamContentLength",
    ]

    // MARK: What rules look at

    private static func parts(_ recorded: RecordedCase) -> [GoldenValue] {
        recorded.input["parts"]?.elements ?? []
    }

    private static func isFailure(_ outcome: Outcome, _ code: Int) -> Bool {
        guard case .failure(let error) = outcome else { return false }
        return error.domain == "com.alamofire.error.serialization.request" && error.code == code
    }

    private static func seen(_ outcome: Outcome) -> GoldenValue? {
        guard case .request(let seen) = outcome else { return nil }
        return seen["bodyBase64"]
    }

    private static func bytes(_ body: GoldenValue?) -> Data {
        body?.string.flatMap { Data(base64Encoded: $0) } ?? Data()
    }

    private static func body(of value: GoldenValue?) -> [String] {
        (String(data: bytes(value), encoding: .isoLatin1) ?? "").components(separatedBy: "\r\n")
    }

    private static func holdsNil(_ recorded: RecordedCase) -> Bool {
        parts(recorded).contains { $0.members.values.contains(where: \.isNil) }
    }

    private static func holdsControlCharacter(_ recorded: RecordedCase) -> Bool {
        parts(recorded).contains { part in
            let headers = part["headers"]?.members ?? [:]
            let texts =
                [part["mimeType"]?.string] + headers.keys.map { $0 }
                + headers.values.map { $0.object as? String }
            return texts.compactMap { $0 }.contains {
                $0.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F }
            }
        }
    }

    private static func declaresWrongLength(_ part: GoldenValue) -> Bool {
        guard part["t"]?.string?.hasSuffix("stream") == true, let length = part["length"]?.int
        else { return false }
        return length != part["data"]?.data?.count ?? 0
    }

    /// The same request, but its body fails while it is read.
    private static func failsToRead(_ recorded: RecordedCase, _ outcome: Outcome) -> Bool {
        guard case .request(let seen) = outcome, seen["readError"] == .int(-1021) else {
            return false
        }
        return differences(recorded, outcome).isSubset(of: [
            "bodyBase64", "bodyLength", "readSizes", "readError", "copyBodyLength",
            "copyBodyEqualsBody",
        ])
    }

    /// The recorded body with its names escaped, and the length that follows.
    private static func hasEscapedNames(_ recorded: RecordedCase, _ outcome: Outcome) -> Bool {
        guard differences(recorded, outcome).isSubset(of: bodyAndLengths),
            case .request(let seen) = outcome,
            var text = String(data: bytes(recorded.output["bodyBase64"]), encoding: .isoLatin1)
        else { return false }
        // Every byte a character, since bodies need not be text.
        let names = names(in: recorded.input).filter { $0 != escaped($0) }.compactMap {
            String(data: Data($0.utf8), encoding: .isoLatin1)
        }
        for name in Set(names).sorted(by: { $0.utf8.count > $1.utf8.count }) {
            text = text.replacingOccurrences(of: name, with: escaped(name), options: .literal)
        }
        let expected = text.data(using: .isoLatin1) ?? Data()
        return !names.isEmpty && expected == bytes(seen["bodyBase64"])
            && seen["headers"]?["Content-Length"] == .string("\(expected.count)")
    }

    /// The names of parts and files, and the keys of the parameters.
    private static func names(in input: GoldenValue) -> [String] {
        let parts = (input["parts"]?.elements ?? []).flatMap {
            [
                $0["name"]?.object as? String, $0["fileName"]?.object as? String,
                $0["path"]?.string.map { URL(fileURLWithPath: $0).lastPathComponent },
            ]
        }
        return parts.compactMap { $0 } + keys(in: input["params"])
    }

    private static func keys(in value: GoldenValue?) -> [String] {
        guard let value else { return [] }
        return Array(value.members.keys) + value.members.values.flatMap { keys(in: $0) }
            + value.elements.flatMap { keys(in: $0) }
    }

    private static func escaped(_ name: String) -> String {
        name.replacingOccurrences(of: "\"", with: "%22", options: .literal)
            .replacingOccurrences(of: "\r", with: "%0D", options: .literal)
            .replacingOccurrences(of: "\n", with: "%0A", options: .literal)
    }
}
