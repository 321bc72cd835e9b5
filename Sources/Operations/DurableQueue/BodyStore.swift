import CLinux
import Foundation
import HTTPSemantics

/// The bodies that are too long for a row, each in a file.
///
/// ## Concurrency
/// Call from: any queue that may wait for the disk; each file has one user at a time. Lock: none. Calls out:
/// none.
struct BodyStore: Sendable {
    let folder: String
    /// Bytes of the longest body.
    let longest: Int64
    private let disk: Disk

    private static let piece = 1 << 18

    /// Bytes; a shorter body is in its entry.
    static let inlineLength = 1 << 15

    init(in folder: String, longest: Int64, disk: Disk = Disk()) throws {
        self.folder = Self.folder(in: folder)
        self.longest = longest
        self.disk = disk
        guard mkdir(self.folder, 0o700) == 0 || errno == EEXIST else {
            throw DurableQueueError.disk("make", self.folder)
        }
        // Also the names that a process made that was killed before it synced them.
        try disk.syncFolder(folder)
    }

    static func folder(in queue: String) -> String { queue + "/bodies" }

    func path(_ body: StoredEntry.BodyFile) -> String { folder + "/" + body.name }

    /// Removes the files that belong to no entry, as a process leaves them that is killed.
    func removeAll(but names: Set<String>) {
        let found = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in found where !names.contains(name) { unlink(folder + "/" + name) }
    }

    func remove(_ body: StoredEntry.BodyFile?) {
        if let body { unlink(path(body)) }
    }

    // MARK: Storing

    func store(_ data: Data) throws -> StoredEntry.BodyFile {
        var rest = data[...]
        return try store {
            defer { rest = rest.dropFirst(Self.piece) }
            return Array(rest.prefix(Self.piece))
        }
    }

    func store(_ file: URL) throws -> StoredEntry.BodyFile {
        let source = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard source >= 0 else { throw DurableQueueError.disk("open", file.path) }
        defer { close(source) }
        let status = cfile_status_of(source)
        guard status.failure == 0, status.is_regular != 0 else {
            throw DurableQueueError.unusable("\(file.path) is no regular file.")
        }
        guard status.size <= longest else { throw tooLong }
        return try store { try Self.read(source, file.path) }
    }

    private var tooLong: DurableQueueError {
        .full("A body may have \(longest) bytes; maximumBodyLength can be set.")
    }

    /// Copies pieces until an empty one, through to the disk.
    private func store(_ next: () throws -> [UInt8]) throws -> StoredEntry.BodyFile {
        let name = UUID().uuidString
        let path = folder + "/" + name
        let copy = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw DurableQueueError.disk("open", path) }
        defer { close(copy) }
        do {
            let hash = try SHA256()
            var length: Int64 = 0
            while case let piece = try next(), !piece.isEmpty {
                guard length + Int64(piece.count) <= longest else { throw tooLong }
                piece.withUnsafeBytes { hash.update($0) }
                try disk.write(piece, to: copy, at: length, path)
                length += Int64(piece.count)
            }
            try disk.sync(copy, path)
            try disk.syncFolder(folder)
            return StoredEntry.BodyFile(name: name, length: length, sha256: try hash.digest())
        } catch {
            unlink(path)
            throw error
        }
    }

    // MARK: Reading

    /// Throws `damagedBody` unless the file is the one that was stored.
    func check(_ body: StoredEntry.BodyFile) throws {
        let path = path(body)
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            // Without a descriptor, for example, the file is as it was.
            throw [ENOENT, ENOTDIR, ELOOP, ENXIO].contains(errno)
                ? DurableQueueError.damagedBody(path: path) : .disk("open", path)
        }
        defer { close(file) }
        let hash = try SHA256()
        var length: Int64 = 0
        while case let piece = try Self.read(file, path), !piece.isEmpty, length <= body.length {
            length += Int64(piece.count)
            piece.withUnsafeBytes { hash.update($0) }
        }
        guard length == body.length, try hash.digest() == body.sha256 else {
            throw DurableQueueError.damagedBody(path: path)
        }
    }

    private static func read(_ descriptor: Int32, _ path: String) throws -> [UInt8] {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: piece) { buffer, used in
                count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
                used = max(0, count)
            }
            if count >= 0 { return bytes }
            guard errno == EINTR else { throw DurableQueueError.disk("read", path) }
        }
    }
}

/// The calls that write a durable queue's files. Tests replace them by a disk that refuses, or that knows what a power
/// cut would leave.
struct Disk: Sendable {
    /// The system's, with `errno` after a failure.
    var pwrite: @Sendable (Int32, UnsafeRawBufferPointer, off_t) -> Int = {
        Foundation.pwrite($0, $1.baseAddress, $1.count, $2)
    }
    /// The system's, with `errno` after a failure.
    var fsync: @Sendable (Int32) -> Int32 = { Foundation.fsync($0) }
    /// The name of the file system (VFS) that SQLite uses; nil is its default.
    var fileSystem: String?

    /// Writes all bytes.
    ///
    /// - Parameter path: for the error.
    func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int64, _ path: String) throws {
        var done = 0
        while done < bytes.count {
            let step = bytes.withUnsafeBytes {
                pwrite(
                    descriptor, UnsafeRawBufferPointer(rebasing: $0[done...]),
                    off_t(offset) + off_t(done))
            }
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { throw DurableQueueError.disk("write", path) }
            done += step
        }
    }

    /// Writes a file through to the disk.
    func sync(_ descriptor: Int32, _ path: String) throws {
        guard fsync(descriptor) == 0 else { throw DurableQueueError.disk("sync", path) }
    }

    /// Writes the names in a folder through to the disk.
    func syncFolder(_ path: String) throws {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw DurableQueueError.disk("open", path) }
        defer { close(folder) }
        try sync(folder, path)
    }
}
