import Foundation
import FoundationNetworking

/// A request that was accepted, as the journal has it.
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
}

/// What a journal says happened.
enum JournalRecord: Codable {
    case added(StoredEntry)
    case tried(UUID, attempts: Int, notBefore: Date)
    case ended(UUID)

    var isEnd: Bool {
        if case .ended = self { return true }
        return false
    }

    func payload() throws -> [UInt8] { try Array(JSONEncoder().encode(self)) }

    init?(_ payload: Data) {
        guard let record = try? JSONDecoder().decode(JournalRecord.self, from: payload) else {
            return nil
        }
        // The name becomes a part of a path.
        if case .added(let entry) = record, let name = entry.body?.name,
            UUID(uuidString: name) == nil
        {
            return nil
        }
        if case .added(let entry) = record, entry.request.request == nil { return nil }
        self = record
    }
}

/// Pure: the entries that records leave, in the order in which they were accepted.
struct JournalTable {
    struct Row {
        var number: UInt64
        var entry: StoredEntry
        /// Bytes of its record.
        var length: Int
    }

    private(set) var rows: [UUID: Row] = [:]
    /// Bytes of the records of all.
    private(set) var length = 0
    private var last: UInt64 = 0

    var ordered: [Row] { rows.values.sorted { $0.number < $1.number } }

    /// - Returns: false for a record that cannot be.
    @discardableResult
    mutating func take(_ record: JournalRecord, length: Int) -> Bool {
        switch record {
        case .added(let entry):
            guard rows[entry.id] == nil else { return false }
            last += 1
            rows[entry.id] = Row(number: last, entry: entry, length: length)
            self.length += length
        case .tried(let id, let attempts, let notBefore):
            rows[id]?.entry.attempts = attempts
            rows[id]?.entry.notBefore = notBefore
        case .ended(let id):
            self.length -= rows.removeValue(forKey: id)?.length ?? 0
        }
        return true
    }
}
