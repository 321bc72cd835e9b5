public import Foundation
import Locking

/// Records the KVO calls of an operation, and passes them to Foundation. A check cannot observe them otherwise, because
/// Foundation on Linux has no observers for the keys of an `Operation`.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the recorded changes; Foundation is called without it.
public final class Announcements: Sendable {
    /// A key, with its value before and after the change.
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
    private let hears: @Sendable (_ key: String) -> Void

    /// - Parameter hears: called before a change, on the thread that changes it.
    init(_ hears: @escaping @Sendable (_ key: String) -> Void = { _ in }) {
        self.hears = hears
    }

    /// Calls the operation's `willChangeValue(forKey:)`. Call it before the change.
    public func willChange(_ key: String, of operation: Operation) {
        let value = Self.value(of: key, operation)
        heard.withLock { $0.before[key] = value }
        operation.willChangeValue(forKey: key)
        hears(key)
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

    /// Whether both calls were made, one before the change and one after it.
    func has(_ key: String, becoming value: Bool) -> Bool {
        heard.withLock {
            $0.changes.contains(Change(key: key, before: !value, after: value))
        }
    }

    private static func value(of key: String, _ operation: Operation) -> Bool {
        key == "isFinished" ? operation.isFinished : operation.isExecuting
    }
}
