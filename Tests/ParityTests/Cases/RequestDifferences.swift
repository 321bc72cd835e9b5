import Foundation

/// How a case of the request serializers compares with its recording.
enum RequestDifferences {
    /// Why cases differ that are meant to. The first rule that covers a case explains it.
    struct Rule: Sendable {
        let cause: ListedDifference.Cause
        let reason: String
        let covers: @Sendable (RecordedCase, RequestCases.Outcome) -> Bool
    }

    static func verdict(_ recorded: RecordedCase) -> (ParityTally.Verdict, Rule?) {
        let outcome = RequestCases.outcome(recorded.input)
        if isEqual(recorded.output, outcome) { return (.equal, nil) }
        guard let rule = rules.first(where: { $0.covers(recorded, outcome) }) else {
            return (.other("\(outcome), recorded as \(recorded.output)"), nil)
        }
        let listed = ListedDifference(id: recorded.id, cause: rule.cause, reason: rule.reason)
        return (listed.verdict, rule)
    }

    private static func isEqual(_ recorded: GoldenValue, _ outcome: RequestCases.Outcome) -> Bool {
        switch outcome {
        case .failure(let error):
            recorded["request"] == .null && recorded["error"]?["domain"] == .string(error.domain)
                && recorded["error"]?["code"] == .int(error.code)
        case .request(let seen):
            recorded["error"] == nil && differences(recorded, seen).isEmpty
        }
    }

    /// The names of what differs. Field names of headers are equal in any case, RFC 9110 says.
    private static func differences(
        _ recorded: GoldenValue, _ seen: [String: GoldenValue]
    ) -> Set<String> {
        // `bodyUTF8` says the same as `bodyBase64`.
        let names = Set(recorded.members.keys).union(seen.keys).subtracting(["bodyUTF8"])
        return names.filter { name in
            guard let one = recorded[name], let other = seen[name] else { return true }
            return name == "headers" ? lowercased(one) != lowercased(other) : one != other
        }
    }

    private static func lowercased(_ headers: GoldenValue) -> [String: GoldenValue] {
        Dictionary(headers.members.map { ($0.key.lowercased(), $0.value) }) { $1 }
    }

    // MARK: Rules

    static let rules: [Rule] = [
        Rule(cause: .wound(38), reason: "Text that is no URL is an error, not an exception.") {
            isFailure($1, NSURLErrorBadURL)
                && ($0.output["exception"] != nil || $0.input["url"]?.string?.isEmpty == true)
        },
        Rule(cause: .wound(38), reason: "Nil in place of text cannot be said in Swift.") {
            recorded, _ in
            recorded.input["method"]?.isNil == true
                || recorded.input["config"]?["basic"]?.elements.contains { $0.isNil } == true
        },
        Rule(cause: .wound(39), reason: "A value that JSON lacks is an error, not an exception.") {
            isFailure($1, 1) && $0.output["exception"] != nil
        },
        Rule(cause: .wound(41), reason: "A value that the format lacks: an error and no request.") {
            isFailure($1, 1) && $0.output["error"] != nil && $0.output["bodyBase64"] == .null
        },
        Rule(cause: .wound(41), reason: "A query block that spoils the URL: an error, no request.")
        {
            isFailure($1, NSURLErrorBadURL) && $0.output["url"] == .null
        },
        Rule(cause: .wound(59), reason: "The query goes before the fragment.") {
            differs($0, $1, only: "url") && movesFragment($0, $1)
        },
        Rule(cause: .wound(60), reason: "The query's bytes are those of stringEncoding.") {
            escapesByEncoding($0, $1)
        },
        Rule(cause: .wound(43), reason: "A copy keeps every property.") {
            $0.input["config"]?["copy"] == .bool(true) && isAsOriginal($0, $1)
        },
        Rule(cause: .foundation, reason: "URLRequest writes the methods it knows in upper case.") {
            guard case .request(let seen) = $1, differs($0, $1, only: "method") else {
                return false
            }
            return seen["method"]?.string == $0.output["method"]?.string?.uppercased()
        },
        Rule(cause: .foundation, reason: "A lone surrogate is U+FFFD in Foundation here.") {
            guard case .request(let seen) = $1, holdsLoneSurrogate($0.input["params"]) else {
                return false
            }
            let body = seen["bodyBase64"]?.string.flatMap { Data(base64Encoded: $0) }
            let text = (seen["url"]?.string ?? "") + String(decoding: body ?? Data(), as: UTF8.self)
            return text.contains("%EF%BF%BD") || text.contains("\u{FFFD}")
        },
        Rule(cause: .foundation, reason: "The same JSON or property list, in other digits.") {
            $0.isFoundations && differs($0, $1, only: "bodyBase64")
                && bodies($0, $1, areSame: holdSameObject)
        },
    ]

    private static func isFailure(_ outcome: RequestCases.Outcome, _ code: Int) -> Bool {
        guard case .failure(let error) = outcome else { return false }
        return error.domain == "com.alamofire.error.serialization.request" && error.code == code
    }

    private static func differs(
        _ recorded: RecordedCase, _ outcome: RequestCases.Outcome, only name: String
    ) -> Bool {
        guard case .request(let seen) = outcome else { return false }
        return differences(recorded.output, seen) == [name]
    }

    /// `u#f?q` recorded, `u?q#f` seen.
    private static func movesFragment(
        _ recorded: RecordedCase, _ outcome: RequestCases.Outcome
    ) -> Bool {
        guard case .request(let seen) = outcome, let url = recorded.input["url"]?.string,
            let text = recorded.output["url"]?.string, text.hasPrefix(url), url.contains("#")
        else { return false }
        let head = url.prefix { $0 != "#" }
        let query = text.dropFirst(url.count).dropFirst()
        let mark = head.contains("?") ? "&" : "?"
        return seen["url"] == .string(head + mark + query + url[head.endIndex...])
    }

    /// The same once unescaped, or an error because the charset lacks a character.
    private static func escapesByEncoding(
        _ recorded: RecordedCase, _ outcome: RequestCases.Outcome
    ) -> Bool {
        guard let number = recorded.input["config"]?["encoding"]?.int else { return false }
        if isFailure(outcome, 3) { return true }
        guard case .request(let seen) = outcome else { return false }
        let encoding = String.Encoding(rawValue: UInt(number))
        func isSame(_ one: String?, _ other: String?) -> Bool {
            one == other
                || one.map { unescaped($0, .utf8) } == other.map { unescaped($0, encoding) }
        }
        func body(_ value: GoldenValue?) -> String? {
            value?.string.flatMap { Data(base64Encoded: $0) }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        return differences(recorded.output, seen).isSubset(of: ["url", "bodyBase64"])
            && isSame(recorded.output["url"]?.string, seen["url"]?.string)
            && isSame(body(recorded.output["bodyBase64"]), body(seen["bodyBase64"]))
    }

    private static func unescaped(_ text: String, _ encoding: String.Encoding) -> String? {
        var bytes = Data()
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let digits = String(rest.prefix(2)),
                let value = UInt8(digits, radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(data: bytes, encoding: encoding)
    }

    /// Whether the copy does what its original does.
    private static func isAsOriginal(
        _ recorded: RecordedCase, _ outcome: RequestCases.Outcome
    ) -> Bool {
        guard case .request(let seen) = outcome else { return false }
        var input = recorded.input.members
        var config = recorded.input["config"]?.members ?? [:]
        config["copy"] = nil
        input["config"] = .object(config)
        guard case .request(let original) = RequestCases.outcome(.object(input)) else {
            return false
        }
        return seen == original
    }

    private static func holdsLoneSurrogate(_ value: GoldenValue?) -> Bool {
        guard let value else { return false }
        if let units = value["$u16"]?.elements.compactMap(\.int) {
            let text = units.map(UInt16.init(truncatingIfNeeded:))
            return !Array(String(decoding: text, as: UTF16.self).utf16).elementsEqual(text)
        }
        return value.members.values.contains(where: holdsLoneSurrogate)
            || value.elements.contains(where: holdsLoneSurrogate)
    }

    private static func bodies(
        _ recorded: RecordedCase, _ outcome: RequestCases.Outcome,
        areSame: (Data, Data) -> Bool
    ) -> Bool {
        guard case .request(let seen) = outcome,
            let one = recorded.output["bodyBase64"]?.string.flatMap({ Data(base64Encoded: $0) }),
            let other = seen["bodyBase64"]?.string.flatMap({ Data(base64Encoded: $0) })
        else { return false }
        return areSame(one, other)
    }

    private static func holdSameObject(_ one: Data, _ other: Data) -> Bool {
        guard let one = object(one), let other = object(other) else { return false }
        return isSame(one, other)
    }

    /// Numbers may differ behind the digits of a float.
    private static func isSame(_ one: Any, _ other: Any) -> Bool {
        switch (one, other) {
        case (let one as [String: Any], let other as [String: Any]):
            one.count == other.count
                && one.allSatisfy { key, value in other[key].map { isSame(value, $0) } == true }
        case (let one as [Any], let other as [Any]):
            one.count == other.count && zip(one, other).allSatisfy(isSame)
        case (let one as NSNumber, let other as NSNumber):
            abs(one.doubleValue - other.doubleValue) <= abs(one.doubleValue) * 1e-6
        case (let one as NSObject, let other as NSObject): one.isEqual(other)
        default: false
        }
    }

    private static func object(_ data: Data) -> Any? {
        (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
            ?? (try? PropertyListSerialization.propertyList(from: data, format: nil))
    }
}
