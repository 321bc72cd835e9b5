import CLinux
import Foundation
import Locking
import OperationNetworking

/// Which files of directories were fetched from which URLs.
///
/// An extended attribute of each file says so. Where the file system has none, a line of the file `.eras-fetched`
/// beside it does. It has the hash of the URL, and the file's length, time, SHA-256 and name; after a change the
/// length or the time differs.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around what was read. Calls out: none.
final class FetchedList: Sendable {
    static let name = ".eras-fetched"
    private static let mostBytes = 1 << 26

    struct File: Equatable {
        var name: String
        /// See `FileOrigin.state`.
        var state: String
        /// Nil for a file with an attribute, which needs none.
        var sha256: String?
        /// The file's time, where it has no fractions of a second, as those that servers give.
        var serverTime: Date?
    }

    private struct Line {
        var state: String
        var sha256: String
    }

    private struct Folder {
        /// The lines by the file's name and the URL's key.
        var lines: [String: Line] = [:]
        /// The names of files with attributes, by the keys; nil before they were read.
        var names: [String: String]?
    }

    private let folders = Locked<[String: Folder]>([:])

    /// What is known of a file that was fetched from a URL and has not changed since.
    func file(_ place: FilePlace, of address: String) -> File? {
        let descriptor = open(place.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let status = cfile_status_of(descriptor)
        guard status.failure == 0, let state = FileOrigin.state(of: descriptor) else { return nil }
        let time = Date(timeIntervalSince1970: TimeInterval(status.modified_seconds))
        var file = File(
            name: place.name, state: state,
            serverTime: status.modified_nanoseconds == 0 ? time : nil)
        if FileOrigin(address, of: descriptor)?.marks(descriptor) == true { return file }
        guard let key = FileOrigin.key(address),
            let line = folder(place.directory).lines["\(key) \(place.name)"],
            line.state == FileOrigin.state(of: descriptor)
        else { return nil }
        file.sha256 = line.sha256
        return file
    }

    /// The name of the file in a directory that was fetched from a URL and has not changed since.
    func name(in directory: String, of address: String) -> String? {
        guard let key = FileOrigin.key(address) else { return nil }
        var folder = folder(directory)
        if folder.names == nil {
            let names = FileOrigin.names(in: directory)
            folder.names = names
            folders.withLock { $0[directory]?.names = names }
        }
        if let name = folder.names?[key] { return name }
        // It may have been fetched several times, and some of the files may be gone or changed.
        let known = folder.lines.keys.filter { $0.hasPrefix(key + " ") }.sorted()
        return known.lazy.compactMap { line in
            let name = String(line.dropFirst(key.count + 1))
            return self.file(FilePlace(directory: directory, name: name), of: address)?.name
        }.first
    }

    /// Marks a file as fetched from a URL, by a line where attributes are missing.
    func note(_ path: String, of address: String, sha256: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let origin = FileOrigin(address, of: descriptor)
        if origin?.marks(descriptor) != true { FileOrigin.mark(path, address) }
        guard origin?.marks(descriptor) != true, let state = FileOrigin.state(of: descriptor) else {
            return
        }
        Self.add(path, of: address, state, sha256)
    }

    static func add(_ path: String, of address: String, _ state: String, _ sha256: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let key = FileOrigin.key(address) else { return }
        // Begins with the line feed, so that a line that was cut short spoils no other.
        let line = Data("\n\(key) \(state) \(sha256) \(path[start...])".utf8)
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = open(path[..<start] + name, flags, 0o600)
        guard descriptor >= 0 else { return }
        // One call, so that lines of several jobs are not mixed.
        _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }

    private func folder(_ directory: String) -> Folder {
        if let folder = folders.withLock({ $0[directory] }) { return folder }
        let folder = Folder(lines: Self.lines(directory))
        return folders.withLock { folders in
            folders[directory] = folders[directory] ?? folder
            return folder
        }
    }

    private static func lines(_ directory: String) -> [String: Line] {
        let path = FilePlace(directory: directory, name: name).path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return [:] }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let status = cfile_status_of(descriptor)
        guard status.is_regular == 1 else { return [:] }
        // The newest lines are the last.
        try? file.seek(toOffset: UInt64(max(0, status.size - Int64(mostBytes))))
        guard let data = try? file.read(upToCount: mostBytes) else { return [:] }
        var lines: [String: Line] = [:]
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 5).map(String.init)
            guard parts.count == 6 else { continue }
            lines["\(parts[0]) \(parts[5])"] = Line(
                state: parts[1...3].joined(separator: " "), sha256: parts[4])
        }
        return lines
    }
}
