import Foundation

/// Whether code runs on the queue that all sessions share, inside a caller's block. Foundation
/// crashes when its tasks are resumed or cancelled there.
enum SharedQueue {
    private static let key = "com.alamofire.networking.session.shared-queue"

    static var isCurrent: Bool { Thread.current.threadDictionary[key] != nil }

    /// Where a step is taken that must not be taken there. A thread of its own: callers can use up those of
    /// Dispatch's default pool.
    static let outside = DispatchQueue(
        label: "com.alamofire.networking.session.step", qos: .userInitiated)

    static func mark<Result>(_ body: () -> Result) -> Result {
        let marks = Thread.current.threadDictionary
        marks[key] = true
        defer { marks.removeObject(forKey: key) }
        return body()
    }
}
