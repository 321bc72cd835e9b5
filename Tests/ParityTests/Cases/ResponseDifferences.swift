import Foundation

/// How a case of the response serializers compares with its recording.
enum ResponseDifferences {
    static func verdict(_ recorded: RecordedCase) -> ParityTally.Verdict {
        guard let seen = ResponseCases.seen(recorded.input) else { return .later }
        if seen == recorded.output { return .equal }
        if isRepairedCopy(recorded, seen) || isRepairedText(recorded, seen) { return .deliberate }
        if let difference = listed.first(where: { $0.covers(recorded.id) }) {
            return difference.verdict
        }
        if differsInWordsAlone(seen, recorded.output) { return .foundation }
        return .other("\(seen), recorded as \(recorded.output)")
    }

    static func differsInWordsAlone(_ seen: GoldenValue, _ recorded: GoldenValue) -> Bool {
        withoutFoundationsWords(seen) == withoutFoundationsWords(recorded)
    }

    /// Cases that Foundation decides differently.
    static let listed = [
        ListedDifference(
            id: "json-body/trailing-comma", cause: .foundation,
            reason: "Foundation on Linux takes a comma after the last element."),
        ListedDifference(
            id: "json-body/ascii-charset-with-utf8", cause: .foundation,
            reason: "The recorder's Foundation took ASCII for Latin-1; here it is read as UTF-8."),
        ListedDifference(
            id: "xmldoc/nil-*", cause: .foundation,
            reason: "The recorder's XML document raised an exception for no data; here it is nil."),
        ListedDifference(
            id: "xmldoc/badtype-nil-*", cause: .foundation,
            reason: "The recorder's XML document raised an exception for no data; here it is nil."),
    ]

    /// Wound 43: a copy that forgot types or statuses; here it does what the original does.
    private static func isRepairedCopy(_ recorded: RecordedCase, _ seen: GoldenValue) -> Bool {
        recorded.input["copy"]?.bool == true && recorded.output["error"] != .null
            && seen["error"] == .null
            && seen == ResponseCases.seen(recorded.input, ignoringCopy: true)
    }

    /// Wound 35: nothing without an error, for a body that is no text in its charset; here it is an
    /// error that says so, or the object where the bytes show their encoding.
    private static func isRepairedText(_ recorded: RecordedCase, _ seen: GoldenValue) -> Bool {
        guard recorded.input["serializer"] == .string("json"), recorded.output["error"] == .null,
            recorded.output["object"]?.isNil == true
        else { return false }
        let isObject = seen["error"] == .null && seen["object"]?.isNil == false
        return isObject
            || seen["error"]?["domain"] == .string("com.alamofire.error.serialization.response")
                && seen["error"]?["code"] == .int(-1016)
                && seen["error"]?["userInfo"]?["NSLocalizedFailureReason"] != nil
    }

    /// Without Foundation's words: for a status, and for what its parsers find; for XML their
    /// numbers too.
    static func withoutFoundationsWords(_ value: GoldenValue) -> GoldenValue {
        guard case .object(var members) = value else { return value }
        members = members.mapValues(withoutFoundationsWords)
        if let text = members["NSLocalizedDescription"]?.string,
            let status = text.wholeMatch(of: /Request failed: [^:]+ (\(-?[0-9]+\))/)?.1
        {
            members["NSLocalizedDescription"] = .string("Request failed: … \(status)")
        }
        let domain = members["domain"]?.string ?? ""
        guard domain == "NSCocoaErrorDomain" || domain.hasPrefix("NSXML") else {
            return .object(members)
        }
        if domain != "NSCocoaErrorDomain" {
            members["domain"] = .string("XML")
            members["code"] = nil
        }
        let underlying = members["userInfo"]?["NSUnderlyingError"]
        members["userInfo"] = .object(underlying.map { ["NSUnderlyingError": $0] } ?? [:])
        members["userInfoKeys"] = nil
        return .object(members)
    }
}
