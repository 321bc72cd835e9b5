import CLinux
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

/// The name that a server gives a file, by `Content-Disposition`, without what is dangerous in it.
struct ServerName {
    private static let mostTries = 10_000

    private let name: SuggestedFileName?
    private let mayReplace: Bool

    init(_ response: HTTPURLResponse, mayReplace: Bool) {
        // A server must not overwrite the files of another download.
        let name = response.dispositionFileName.flatMap { name in
            FilePlace.suffixes.dropFirst().contains { name.hasSuffix($0) } ? nil : name
        }
        self.name = name.flatMap { SuggestedFileName($0) }
        self.mayReplace = mayReplace
    }

    /// Renames a finished file to that name, or `name-2` and so on. An existing file of the name is not
    /// replaced; if it is another one with the same bytes, the new file is removed.
    ///
    /// - Parameters:
    ///   - place: a file that this run has written.
    ///   - address: the file's URL, with which an existing file is marked.
    ///   - isTaken: whether a path, by `key`, is that of another file of this run, which is never replaced.
    /// - Throws: `DiskError`.
    func rename(
        _ place: FilePlace, sha256: String, of address: String, isTaken: (String) -> Bool
    ) throws -> (place: FilePlace, wasThere: Bool) {
        guard let name else { return (place, false) }
        // Once, because there may be thousands of tries.
        let folder = Self.folder(place.directory)
        let own = Self.key(place.name, in: folder)
        var next = place
        for number in 1...Self.mostTries {
            next = FilePlace(directory: place.directory, name: name.numbered(number))
            if next.name == place.name { return (place, false) }
            let key = Self.key(next.name, in: folder)
            if key != own, isTaken(key) { continue }
            // A file system that ignores case has the file itself there.
            let replaces = mayReplace || key == own && Self.areSame(place.path, next.path)
            let code =
                replaces
                ? (Foundation.rename(place.path, next.path) == 0 ? 0 : errno)
                : cfile_rename_new(place.path, next.path)
            if code == 0 { return (next, false) }
            guard code == EEXIST else {
                throw DiskError(action: "make", path: next.path, code: code)
            }
            // A link to the file itself has the same bytes, and would be left without it.
            if !Self.areSame(place.path, next.path), let there = try? Self.hash(next.path),
                there == sha256
            {
                unlink(place.path)
                FileOrigin.mark(next.path, address)
                return (next, true)
            }
        }
        throw DiskError(action: "make", path: next.path, code: EEXIST)
    }

    /// Paths that some file systems treat as equal have the same key; links in the folder's path do not count.
    static func key(_ place: FilePlace) -> String {
        key(place.name, in: folder(place.directory))
    }

    private static func key(_ name: String, in folder: String) -> String {
        FileNames.key("\(folder)/\(name)")
    }

    private static func folder(_ directory: String) -> String {
        NewFile.resolved(directory) ?? directory
    }

    private static func areSame(_ one: String, _ other: String) -> Bool {
        FileIdentity(one).map { $0 == FileIdentity(other) } ?? false
    }

    private static func hash(_ path: String) throws -> String {
        // O_NONBLOCK: does not wait for a pipe's writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw DiskError(action: "open", path: path) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard cfile_status_of(descriptor).is_regular == 1 else {
            throw DiskError(action: "open", path: path, code: EINVAL)
        }
        let hash = try SHA256()
        while let piece = try handle.read(upToCount: 1 << 18), !piece.isEmpty {
            piece.withUnsafeBytes { hash.update($0) }
        }
        return try hash.digest()
    }
}
