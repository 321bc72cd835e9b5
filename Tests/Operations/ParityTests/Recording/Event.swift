import Foundation
import ParitySupport

/// One thing that was seen, as text, so that a recorded and an observed event compare by equality.
struct Event: Hashable, Sendable, CustomStringConvertible {
    /// The operation's name in the scenario; nil for blocks and markers of the harness.
    var operation: String?
    /// What was seen, with every compared detail.
    var what: String
    var thread: String

    var description: String { (operation.map { "\($0)." } ?? "") + "\(what) @\(thread)" }

    /// What it is without its numbers; `completion` is any of the three blocks at the end.
    var kind: String {
        if what.hasPrefix("redirectBlock") || what.hasPrefix("authBlock") { return "question" }
        if operation != nil, Self.ends.contains(where: what.hasPrefix) { return "completion" }
        return what.contains("Progress ") ? String(what.prefix { $0 != " " }) : what
    }

    private static let ends = ["success", "failure", "completionBlock"]

    /// A marker that the harness itself sets.
    var isMarker: Bool { operation == nil && kind != "question" }

    static func progress(_ name: String, _ bytes: Int64, _ total: Int64, _ expected: Int64)
        -> String
    { "\(name)Progress \(bytes),\(total),\(expected)" }

    static func success(objectClass: GoldenValue) -> String {
        "success isFinished=1 objectClass=\(objectClass.text)"
    }

    /// What is beneath a URL error is Foundation's.
    static func failure(error: String, underlying: String?) -> String {
        let beneath = error.hasPrefix(NSURLErrorDomain) ? nil : underlying
        return "failure isFinished=1 error=\(error) underlying=\(beneath ?? "-")"
    }

    static let completionBlock = "completionBlock isFinished=1"
}

extension Event {
    /// A recorded event in the words used here.
    init(recorded: [String: GoldenValue]) {
        var details = recorded
        let name = details.removeValue(forKey: "e")?.string ?? ""
        operation = details.removeValue(forKey: "op")?.string
        thread = details.removeValue(forKey: "thread")?.string ?? ""
        what = Self.text(name, details)
    }

    private static func text(_ name: String, _ details: [String: GoldenValue]) -> String {
        func value(_ key: String) -> String { details[key]?.text ?? "" }
        switch name {
        case "kvo":
            return "\(value("key")) \(value("old"))>\(value("new"))"
        case "notification":
            return "\(value("name").split(separator: ".").last ?? "") notification"
        case "downloadProgress", "uploadProgress":
            return "\(name) \(value("bytes")),\(value("total")),\(value("expected"))"
        case "failure" where details["error"] != nil && details["isFinished"] != nil:
            return failure(error: value("error"), underlying: details["underlying"]?.string)
        case "completionBlock":
            // One recording leaves the flag out.
            return marker(name, details.merging(["isFinished": 1]) { recorded, _ in recorded })
        default:
            return marker(name, details)
        }
    }

    /// `called`, its `what`, and the rest by name.
    static func marker(_ name: String, _ details: [String: GoldenValue]) -> String {
        var rest = details
        let what = rest.removeValue(forKey: "what")?.text
        let others = rest.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }
        return ([name, what].compactMap(\.self) + others).joined(separator: " ")
    }
}
