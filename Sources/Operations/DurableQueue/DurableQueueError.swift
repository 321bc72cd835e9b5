public import Foundation
public import HTTPSemantics

/// Why a durable queue could not be opened, or did not accept a request.
public enum DurableQueueError: NumberedError, Hashable, Sendable {
    /// Something stored that is not what was written.
    public struct Damage: Hashable, Sendable {
        /// The entry's id, as its row says; nil where the damage is not that of one entry.
        public let entry: UUID?
        /// What was found.
        public let reason: String
    }

    /// Another process, or another queue of this one, has the folder.
    case inUse(path: String)
    /// The file of the entries is damaged, or missing beside their bodies; nothing was changed.
    case damaged(path: String, [Damage])
    /// The file of the entries is of another version, longer than one can be, or no regular file.
    case unreadable(path: String, reason: String)
    /// The request cannot be kept or sent.
    case unusable(String)
    /// A limit of `DurableQueue.Options` is reached.
    case full(String)
    /// The system refused an action on a file, with its error number.
    case disk(action: String, path: String, code: Int32)
    /// The stored body of an entry is not the one that was added.
    case damagedBody(path: String)
    /// The queue was closed.
    case closed
}

extension DurableQueueError {
    /// `DurableQueue.DurableQueueError`.
    public static var errorDomain: String { "DurableQueue.DurableQueueError" }

    package var details: [String: Any] {
        guard case .disk(_, let path, let code) = self else { return [:] }
        return [
            NSFilePathErrorKey: path,
            NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code)),
        ]
    }

    /// The numbers never change.
    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .inUse(let path):
            (1, "\(path) is in use by another queue; close that one, or use another folder.")
        case .damaged(let path, let parts):
            (
                2,
                "\(path) is damaged: "
                    + parts.prefix(5).map { part in
                        (part.entry.map { "entry \($0): " } ?? "") + part.reason
                    }.joined(separator: "; ")
                    + (parts.count > 5 ? "; and \(parts.count - 5) more." : ".")
                    + " With acceptsDamage the queue goes on with the entries that can be read."
            )
        case .unreadable(let path, let reason): (3, "\(path) cannot be read: \(reason)")
        case .unusable(let reason): (4, reason)
        case .full(let reason): (5, reason)
        case .disk(let action, let path, let code):
            (6, "Could not \(action) \(path): \(String(cString: strerror(code))).")
        case .damagedBody(let path): (7, "\(path) is missing, or not the body that was added.")
        case .closed: (8, "The queue was closed.")
        }
    }
}

extension DurableQueueError: CustomStringConvertible {
    /// What happened and, where there is something, what can be done.
    public var description: String { numbered.sentence }
}

extension DurableQueueError {
    /// The failure of the system call that was just made.
    static func disk(_ action: String, _ path: String) -> DurableQueueError {
        .disk(action: action, path: path, code: errno)
    }
}
