public import Foundation

/// Threads, locks, queues and operations that wait for each other, where none can continue, or none
/// has for too long. A thread or queue may be alone, where what it waits for is not recorded.
public struct Stall: Sendable, Hashable, CustomStringConvertible {
    /// A thread, lock, queue or operation, and what it waits for.
    public struct Member: Sendable, Hashable, CustomStringConvertible {
        /// The type of a member.
        public enum Kind: String, Sendable {
            case thread, lock, queue, operation
        }

        /// Its type.
        public let kind: Kind
        /// A thread's name; a queue's label, or "of width" and its width; an operation's name or type; of
        /// several operations, the first four. Of a lock it is "of" and its operation's request, or number.
        public let name: String
        /// What it waits for, or what holds it; nil where that is not recorded.
        public let waitsFor: String?
        /// Seconds that it has waited, or a lock was held, or since the operations of a full queue last changed; 0 in a
        /// cycle of dependencies, or where no wait is known.
        public let seconds: TimeInterval
        /// Of a thread, the innermost call that it is in, or else its last event; of others, their
        /// state in a few words.
        public let place: String

        /// One line: "thread AFNetworking waits for lock of GET http://…, 0.4 s, in …".
        public var description: String {
            var line = Self.title(kind, name) + " waits"
            if let waitsFor { line += " for \(waitsFor)" }
            line += ", \(Self.text(seconds))"
            if !place.isEmpty { line += ", \(place)" }
            return line
        }

        /// "thread AFNetworking"; "thread 7" for one without a name.
        static func title(_ kind: Kind, _ name: String) -> String {
            name.hasPrefix(kind.rawValue + " ") ? name : kind.rawValue + " " + name
        }

        private static func text(_ seconds: TimeInterval) -> String {
            String(format: "%.1f s", seconds)
        }
    }

    /// Each waits for the next; in a cycle the last waits for the first.
    public let members: [Member]
    /// Whether they wait for each other in a cycle, so that none will ever continue.
    public let isCycle: Bool

    /// Several lines: the kind of stall, and each member with the length of its wait.
    public var description: String {
        let head = isCycle ? "Deadlock: each waits for the next." : "Stall: a wait past its limit."
        return ([head] + members.map { "  " + $0.description }).joined(separator: "\n")
    }

    /// Equal for two stalls of the same members in the same roles, however long these have waited.
    var identity: [String] { members.map { "\($0.kind) \($0.name) \($0.waitsFor ?? "")" }.sorted() }
}
