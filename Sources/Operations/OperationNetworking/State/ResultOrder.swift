import Foundation

/// What a manager asks of its operations' results; nothing at first, as in the original (CB-3, wound 24).
struct ResultOrder: Sendable {
    /// The queue through which completions go one behind the other; nil lets them overtake each other.
    var line: DispatchQueue?
    /// Whether the object is made before the end is announced.
    var isObjectFirst = false

    var isAsked: Bool { line != nil || isObjectFirst }

    /// Its threads are not of Dispatch's default pool, which callers can fill.
    static func line() -> DispatchQueue {
        DispatchQueue(
            label: "com.alamofire.networking.http-request.ordered", qos: .userInteractive)
    }
}
