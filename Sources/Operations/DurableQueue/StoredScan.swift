import CSQLite
import Foundation

/// What a file of entries holds, and what of it is damaged.
struct StoredScan {
    private(set) var rows: [Int64: (entry: StoredEntry, length: Int)] = [:]
    private(set) var damages: [DurableQueueError.Damage] = []

    /// A version is a number four times: no flipped bit makes one of another.
    private static let versions: Int64 = 0x0101_0101
    static let version = 1 * versions

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
            note(nil, "The version is not to be read.")
        } else if version != Self.version {
            throw DurableQueueError.unreadable(
                path: path, reason: "Its version is \(version / Self.versions).")
        }
        var found: [String] = []
        try noting { try database.run("PRAGMA quick_check") { found.append($0.text(0)) } }
        for text in found where text != "ok" { note(nil, text) }
        var all: [Int64: [[UInt8]]] = [:]
        // From both ends, where a page between them cannot be read.
        for order in ["ASC", "DESC"] {
            try noting {
                try database.run(
                    "SELECT number, id, entry, digest FROM entries ORDER BY number \(order)"
                ) { all[$0.number(0)] = [$0.bytes(1), $0.bytes(2), $0.bytes(3)] }
            }
            if damages.isEmpty { break }
        }
        for (number, row) in all.sorted(by: { $0.key < $1.key }) { try take(number, row) }
    }

    /// - Throws: where no digest can be had, which says nothing of the row.
    private mutating func take(_ number: Int64, _ row: [[UInt8]]) throws {
        let id =
            row[0].count == 16
            ? row[0].withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) } : nil
        guard try DurableStore.digest(number, row[0], row[1]) == row[2] else {
            return note(id, "It does not fit its digest.")
        }
        guard let entry = try? JSONDecoder().decode(StoredEntry.self, from: Data(row[1])),
            entry.id == id, entry.isUsable
        else { return note(id, "It is no entry.") }
        rows[number] = (entry, row[1].count)
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
