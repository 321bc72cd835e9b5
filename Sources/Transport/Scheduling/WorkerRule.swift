import Foundation

/// Which threads a pool makes, and how many of them work at once.
package struct WorkerRule: Sendable {
    /// The threads'. The system shows 15 bytes of it.
    let name: String
    /// The queue under which recordings show the blocks; nil: they do not.
    var label: String?
    /// How many jobs run at once.
    package let limit: Int
    /// How many run at once in the end, where jobs wait and none ends: each `patience` one more.
    var most: Int?
    /// Seconds.
    var patience: TimeInterval = 0.25
    /// How many jobs that no caller waits for may run beside the others.
    package var leftLimit = 0
    /// The nanoseconds after which a job counts as one that no caller waits for.
    var slow: UInt64?
    /// The seconds after which a thread without a job ends.
    var idle: TimeInterval = 5

    package static let files = WorkerRule(name: "disk", limit: 16, leftLimit: 64)

    package static let lookUps = WorkerRule(
        name: "host look-up", limit: 32, leftLimit: 128, slow: 1_000_000_000)

    package static let streams = WorkerRule(name: "stream", limit: 64, leftLimit: 256)

    static let processing = growing(
        "processing", "com.alamofire.networking.http-request.processing")

    static let utility = growing("utility", "org.alamofire.utility")

    private static func growing(_ name: String, _ label: String) -> WorkerRule {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return WorkerRule(name: name, label: label, limit: cores, most: 64)
    }
}
