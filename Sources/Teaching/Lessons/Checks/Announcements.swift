public import Foundation
import Locking

/// Passes an operation's KVO calls to Foundation, and records them: Foundation on Linux has no
/// observers for an operation's keys, so a check could not see them.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the recorded changes; Foundation is called without it.
public final class Announcements: Sendable {
    /// A key and its value before and after.
    struct Change: Hashable {
        let key: String
        let before: Bool
        let after: Bool
    }

    private struct Heard {
        var before: [String: Bool] = [:]
        var changes: [Change] = []
    }

    private let heard = Locked(Heard())

    init() {}

    /// Calls the operation's `willChangeValue(forKey:)`. Call it before the change.
    public func willChange(_ key: String, of operation: Operation) {
        let value = Self.value(of: key, operation)
        heard.withLock { $0.before[key] = value }
        operation.willChangeValue(forKey: key)
    }

    /// Calls the operation's `didChangeValue(forKey:)`. Call it after the change.
    public func didChange(_ key: String, of operation: Operation) {
        let value = Self.value(of: key, operation)
        heard.withLock { heard in
            guard let before = heard.before.removeValue(forKey: key) else { return }
            heard.changes.append(Change(key: key, before: before, after: value))
        }
        operation.didChangeValue(forKey: key)
    }

    /// Whether both calls were made, around the change.
    func has(_ key: String, becoming value: Bool) -> Bool {
        heard.withLock {
            $0.changes.contains(Change(key: key, before: !value, after: value))
        }
    }

    private static func value(of key: String, _ operation: Operation) -> Bool {
        key == "isFinished" ? operation.isFinished : operation.isExecuting
    }
}
