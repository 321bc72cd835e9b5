import CSQLite
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
    /// The value of the idempotency key's field in the request.
    var idempotencyKey: String
    /// What it is ordered by.
    var key: String?
    var added: Date
    var expires: Date?
    /// Where the body is, if that is not in the request.
    var body: BodyFile?
    /// How often it was sent without success.
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
    /// It was sent without success.
    case tried(StoredEntry)
    case ended(UUID)

    var isEnd: Bool {
        if case .ended = self { return true }
        return false
    }
}

/// What a file of entries holds, and what of it is damaged.
struct StoredScan {
    private(set) var rows: [Int64: (entry: StoredEntry, length: Int)] = [:]
    private(set) var damages: [DurableQueueError.Damage] = []
    /// The highest number of an intact row.
    private var last: Int64 = 0

    /// Each of the four bytes is the version, so that a flipped bit makes no other version.
    private static let versions: Int64 = 0x0101_0101
    static let version = 1 * versions
    /// Behind a damaged page so many numbers are tried one by one, and then numbers further apart: a step is the
    /// distance from the page divided by this.
    private static let precision: Int64 = 512
    /// After this time only a few numbers are tried: a disk may need long for each page that it cannot read.
    private static let patience = Duration.seconds(10)

    /// Reads all that can be read.
    ///
    /// - Throws: what the disk refused, or that the file is of another version.
    init(_ database: Database, path: String) throws {
        try noting {
            try DurableStore.prepare(database)
            // A file may say that it must not be written.
            try database.run("BEGIN IMMEDIATE")
            try database.run("ROLLBACK")
        }
        var version: Int64 = 0
        try noting { try database.run("PRAGMA user_version") { version = $0.number(0) } }
        if version == 0 || version % Self.versions != 0 {
            note(nil, "The version cannot be read")
        } else if version != Self.version {
            throw DurableQueueError.unreadable(
                path: path, reason: "Its version is \(version / Self.versions).")
        }
        var found: [String] = []
        try noting { try database.run("PRAGMA quick_check") { found.append($0.text(0)) } }
        for text in found where text != "ok" { note(nil, text) }
        try readRows(database)
    }

    /// Reads the rows on intact pages. Behind a damaged page it looks for the next row by its number.
    private mutating func readRows(_ database: Database) throws {
        let end = ContinuousClock.now + Self.patience
        // The first number that may be missing, and the one that is tried.
        var (missing, next): (Int64, Int64) = (1, .min)
        while next < 1 << 40 {
            let count = rows.count
            let isDone = try readRows(database, "ASC", next, .max)
            if isDone || rows.count > count {
                // Those between the damaged page and the number that was tried.
                if next > missing { _ = try readRows(database, "DESC", missing, next - 1) }
                if isDone { break }
                (missing, next) = (last + 1, last + 1)
            } else if next < missing {
                next = missing
            } else {
                let distance = next - missing
                next += 1 + (ContinuousClock.now < end ? distance / Self.precision : distance)
            }
        }
    }

    /// - Returns: whether all pages could be read.
    private mutating func readRows(
        _ database: Database, _ order: String, _ first: Int64, _ end: Int64
    ) throws -> Bool {
        var found: [(Int64, [[UInt8]])] = []
        var isDone = false
        try noting {
            try database.run(
                """
                SELECT number, id, entry, digest FROM entries WHERE number BETWEEN ? AND ?
                ORDER BY number \(order)
                """, .number(first), .number(end)
            ) { found.append(($0.number(0), [$0.bytes(1), $0.bytes(2), $0.bytes(3)])) }
            isDone = true
        }
        for (number, row) in found { try take(number, row) }
        return isDone
    }

    /// - Throws: where no digest can be had, which says nothing of the row.
    private mutating func take(_ number: Int64, _ row: [[UInt8]]) throws {
        let id =
            row[0].count == 16
            ? row[0].withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) } : nil
        guard try DurableStore.digest(number, row[0], row[1]) == row[2] else {
            return note(id, "It does not fit its digest")
        }
        guard let entry = try? JSONDecoder().decode(StoredEntry.self, from: Data(row[1])),
            entry.id == id, entry.isUsable
        else { return note(id, "It is no entry") }
        rows[number] = (entry, row[1].count)
        last = max(last, number)
    }

    private mutating func note(_ entry: UUID?, _ reason: String) {
        let damage = DurableQueueError.Damage(entry: entry, reason: reason)
        if !damages.contains(damage) { damages.append(damage) }
    }

    /// Notes what SQLite says of the file.
    private mutating func noting(_ block: () throws -> Void) throws {
        do {
            try block()
        } catch let failure as Database.Failure where !failure.isOfDisk {
            note(nil, failure.message)
        }
    }
}
