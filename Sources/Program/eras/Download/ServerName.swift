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
    /// replaced; if it has the same bytes, the new file is removed.
    ///
    /// - Parameters:
    ///   - address: the file's URL, with which an existing file is marked.
    ///   - isTaken: whether a name is that of another file of this run, which is never replaced.
    /// - Throws: `DiskError`.
    func rename(
        _ place: FilePlace, sha256: String, of address: String, isTaken: (String) -> Bool
    ) throws -> (path: String, wasThere: Bool) {
        guard let name else { return (place.path, false) }
        let folder = String(place.path.dropLast(place.name.count))
        var path = place.path
        for number in 1...Self.mostTries {
            let next = name.numbered(number)
            if next == place.name { return (place.path, false) }
            if isTaken(next) { continue }
            path = folder + next
            let code =
                mayReplace
                ? (Foundation.rename(place.path, path) == 0 ? 0 : errno)
                : cfile_rename_new(place.path, path)
            if code == 0 { return (path, false) }
            guard code == EEXIST else { throw DiskError(action: "make", path: path, code: code) }
            if let there = try? Self.hash(path), there == sha256 {
                unlink(place.path)
                FileOrigin.mark(path, address)
                return (path, true)
            }
        }
        throw DiskError(action: "make", path: path, code: EEXIST)
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
