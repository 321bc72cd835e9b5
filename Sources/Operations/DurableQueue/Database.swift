import CSQLite
import Foundation

/// A file of SQLite's.
///
/// ## Concurrency
/// Call from: one thread at a time, which may wait for the disk. Lock: none. Calls out: none.
final class Database {
    /// What SQLite refused.
    struct Failure: Error {
        /// SQLite's number with its details, and the system's.
        let code, system: Int32
        let message: String

        /// Without its details.
        var primary: Int32 { code & 255 }

        /// Whether the disk or the system failed, so that the file may be intact. A page that cannot be read is damage.
        var isOfDisk: Bool {
            code != csqlite_unreadable_page
                && [SQLITE_IOERR, SQLITE_FULL, SQLITE_NOMEM, SQLITE_BUSY, SQLITE_CANTOPEN]
                    .contains(primary)
        }
    }

    enum Value {
        case number(Int64)
        case bytes([UInt8])
    }

    /// A row of a result, for as long as its block runs.
    struct Row {
        fileprivate let statement: OpaquePointer

        func number(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        func bytes(_ column: Int32) -> [UInt8] {
            let start = sqlite3_column_blob(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            return Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
        }

        func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
    }

    private var handle: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]

    /// Opens an existing file.
    init(_ path: String, fileSystem: String?) throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, fileSystem)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    deinit {
        close()
    }

    func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// Runs one statement, which stays prepared for the next time.
    func run(
        _ text: String, _ values: Value..., each: (Row) -> Void = { _ in }
    ) throws {
        let statement = try prepared(text)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in zip(Int32(1)..., values) {
            let code =
                switch value {
                case .number(let number): sqlite3_bind_int64(statement, index, number)
                case .bytes(let bytes):
                    csqlite_bind_bytes(statement, index, bytes, Int32(bytes.count))
                }
            guard code == SQLITE_OK else { throw failure(code) }
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: each(Row(statement: statement))
            case SQLITE_DONE: return
            case let code: throw failure(code)
            }
        }
    }

    /// Runs a block in a transaction.
    func transaction(_ block: () throws -> Void) throws {
        try run("BEGIN IMMEDIATE")
        do {
            try block()
            try run("COMMIT")
        } catch {
            // After some failures SQLite has done so by itself.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    private func prepared(_ text: String) throws -> OpaquePointer {
        if let statement = statements[text] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, text, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        statements[text] = statement
        return statement
    }

    private func failure(_ code: Int32) -> Failure {
        Failure(
            code: code, system: sqlite3_system_errno(handle),
            message: String(cString: sqlite3_errmsg(handle)))
    }
}
