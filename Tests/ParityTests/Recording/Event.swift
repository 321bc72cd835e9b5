/// One thing that was seen, as text, so that a recorded and an observed event compare by equality.
struct Event: Hashable, Sendable, CustomStringConvertible {
    /// The operation's name in the scenario; nil for blocks and markers of the harness.
    var operation: String?
    /// What was seen, with every compared detail.
    var what: String
    var thread: String

    var description: String { (operation.map { "\($0)." } ?? "") + "\(what) @\(thread)" }

    /// What it is without its numbers.
    var kind: String {
        if what.hasPrefix("redirectBlock") || what.hasPrefix("authBlock") { return "question" }
        let hasNumbers = what.contains("Progress ") || what.hasPrefix("completion ")
        return hasNumbers ? String(what.prefix { $0 != " " }) : what
    }

    /// A marker that the harness itself sets.
    var isMarker: Bool { operation == nil && kind != "question" }

    static func progress(_ name: String, _ bytes: Int64, _ total: Int64, _ expected: Int64)
        -> String
    { "\(name)Progress \(bytes),\(total),\(expected)" }

    static func completion(error: String?) -> String {
        "completion isFinished=1 error=\(error ?? "none")"
    }
}

extension Event {
    /// A recorded event in the words used here.
    ///
    /// `success`, `failure` and `completionBlock` are the completion. An error of a serializer is
    /// none: the base operation validates nothing (recorded as connection-op-404).
    init(recorded: [String: JSONValue]) {
        var details = recorded
        let name = details.removeValue(forKey: "e")?.string ?? ""
        operation = details.removeValue(forKey: "op")?.string
        thread = details.removeValue(forKey: "thread")?.string ?? ""
        for field in LaterFields.ofMarkers { details[field] = nil }
        what = Self.text(name, details)
    }

    private static func text(_ name: String, _ details: [String: JSONValue]) -> String {
        func value(_ key: String) -> String { details[key]?.description ?? "" }
        switch name {
        case "kvo":
            return "\(value("key")) \(value("old"))>\(value("new"))"
        case "notification":
            return "\(value("name").split(separator: ".").last ?? "") notification"
        case "downloadProgress", "uploadProgress":
            return "\(name) \(value("bytes")),\(value("total")),\(value("expected"))"
        case "success", "failure", "completionBlock":
            let error = details["error"]?.string
            return completion(error: error.flatMap { isOfSerializer($0) ? nil : $0 })
        default:
            return marker(name, details)
        }
    }

    /// `called`, its `what`, and the rest by name.
    static func marker(_ name: String, _ details: [String: JSONValue]) -> String {
        var rest = details
        let what = rest.removeValue(forKey: "what")?.description
        return [name, what, rest.isEmpty ? nil : JSONValue.text(rest)].compactMap { $0 }
            .joined(separator: " ")
    }

    /// Whether an error, as `domain/code`, comes from a response serializer.
    static func isOfSerializer(_ error: String) -> Bool {
        error.hasPrefix("com.alamofire.error.serialization") || error == "NSCocoaErrorDomain/3840"
    }
}
