import CFileStatus
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

/// The name that a server gives a file, by `Content-Disposition`, made harmless.
struct ServerName {
    private let name: String?
    private let mayReplace: Bool

    init(_ response: HTTPURLResponse, mayReplace: Bool) {
        let isNamed = response.value(forHTTPHeaderField: "Content-Disposition") != nil
        let name = response.safeSuggestedFilename
        // No server writes over what belongs to another download.
        let isOthers = FilePlace.suffixes.dropFirst().contains { name.hasSuffix($0) }
        self.name = isNamed && !isOthers ? name : nil
        self.mayReplace = mayReplace
    }

    /// Gives a finished file that name, in its folder. A file of that name stays, and takes the place of the
    /// new one where it has the same bytes.
    ///
    /// - Parameter address: that of the file, which one that stays is marked with.
    /// - Throws: `DiskError`.
    func rename(
        _ place: FilePlace, sha256: String, of address: String
    ) throws -> (path: String, wasThere: Bool) {
        guard let name, name != place.name else { return (place.path, false) }
        let path = String(place.path.dropLast(place.name.count)) + name
        let code =
            mayReplace
            ? (Foundation.rename(place.path, path) == 0 ? 0 : errno)
            : cfile_rename_new(place.path, path)
        if code == EEXIST, let there = try? Self.hash(path), there == sha256 {
            unlink(place.path)
            FileOrigin.mark(path, address)
            return (path, true)
        }
        guard code == 0 else { throw DiskError(action: "make", path: path, code: code) }
        return (path, false)
    }

    private static func hash(_ path: String) throws -> String {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let hash = try SHA256()
        while let piece = try handle.read(upToCount: 1 << 18), !piece.isEmpty {
            piece.withUnsafeBytes { hash.update($0) }
        }
        return try hash.digest()
    }
}
