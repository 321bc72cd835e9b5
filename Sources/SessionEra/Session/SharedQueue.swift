import Foundation

/// Tells whether this is the queue that all sessions share, while a caller's block runs on it:
/// Foundation stops the process where its tasks are driven from there.
enum SharedQueue {
    private static let key = "com.alamofire.networking.session.shared-queue"

    static var isCurrent: Bool { Thread.current.threadDictionary[key] != nil }

    static func mark<Result>(_ body: () -> Result) -> Result {
        let marks = Thread.current.threadDictionary
        marks[key] = true
        defer { marks.removeObject(forKey: key) }
        return body()
    }
}
