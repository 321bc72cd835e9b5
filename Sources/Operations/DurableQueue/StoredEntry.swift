import Foundation
import FoundationNetworking
import OperationNetworking

/// A request that was accepted, as it is stored.
struct StoredEntry: Codable {
    struct BodyFile: Codable, Hashable {
        var name: String
        var length: Int64
        var sha256: String
    }

    var id: UUID
    var request: RequestArchive
    /// What its idempotency key is, and in which field.
    var idempotencyKey: String
    /// What it is ordered by.
    var key: String?
    var added: Date
    var expires: Date?
    /// Where the body is, if that is not in the request.
    var body: BodyFile?
    /// How often it was sent in vain.
    var attempts = 0
    /// When it may be sent again.
    var notBefore: Date?

    /// Whether it can be sent. The name of its file becomes a part of a path.
    var isUsable: Bool {
        request.request != nil && body.map { UUID(uuidString: $0.name) != nil } ?? true
    }
}

/// What is written of an entry.
enum StoredChange {
    /// It was accepted, behind all others.
    case added(StoredEntry)
    /// It was sent in vain.
    case tried(StoredEntry)
    case ended(UUID)

    var isEnd: Bool {
        if case .ended = self { return true }
        return false
    }
}
