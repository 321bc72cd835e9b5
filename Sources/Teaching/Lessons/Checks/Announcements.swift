public import Foundation
import Locking

/// Announces the changes of an operation to Foundation, and remembers them: Foundation on Linux has no observers
/// for an operation's keys, so a check could not hear them.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around what was announced; Foundation is called without it.
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

    /// Calls `willChangeValue(forKey:)` of the operation; to be called before the change.
    public func willChange(_ key: String, of operation: Operation) {
        let value = Self.value(of: key, operation)
        heard.withLock { $0.before[key] = value }
        operation.willChangeValue(forKey: key)
    }

    /// Calls `didChangeValue(forKey:)` of the operation; to be called after the change.
    public func didChange(_ key: String, of operation: Operation) {
        let value = Self.value(of: key, operation)
        heard.withLock { heard in
            guard let before = heard.before.removeValue(forKey: key) else { return }
            heard.changes.append(Change(key: key, before: before, after: value))
        }
        operation.didChangeValue(forKey: key)
    }

    /// Whether a change was announced around it.
    func has(_ key: String, becoming value: Bool) -> Bool {
        heard.withLock {
            $0.changes.contains(Change(key: key, before: !value, after: value))
        }
    }

    private static func value(of key: String, _ operation: Operation) -> Bool {
        key == "isFinished" ? operation.isFinished : operation.isExecuting
    }
}
