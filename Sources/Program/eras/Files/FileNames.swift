import CLinux
import Foundation
import HTTPSemantics
import OperationNetworking

/// The file names for a list of URLs; the same list gives the same names.
struct FileNames {
    /// The longest name in bytes, so that a name with the longest suffix has at most 255.
    static let limit = 255 - DownloadPlace.longestSuffix.utf8.count

    /// The names in use, by `key`.
    private var taken: Set<String> = []
    /// The last number of each name, by `key`, so that it need not be searched for.
    private var numbers: [String: Int] = [:]

    /// The next URL's name. For the second file of a name, `-2` is inserted before the extension.
    mutating func next(for url: URL) -> String { next(Self.base(for: url)) }

    /// The name, or a numbered one where another file of the folder has it.
    mutating func next(_ base: String, in folder: String = "") -> String {
        func key(_ name: String) -> String { "\(Self.key(folder))/\(Self.key(name))" }
        var name = base
        var number = numbers[key(base)] ?? 1
        while !isFree(key(name)) {
            number += 1
            name = Self.numbered(base, number)
        }
        numbers[key(base)] = number
        for suffix in FilePlace.suffixes { taken.insert(key(name) + suffix) }
        return name
    }

    /// Whether neither another file has the name, nor a part of another file.
    private func isFree(_ key: String) -> Bool {
        // A suffix is its own key, so it can be added to a key.
        !key.hasSuffix("/" + FetchedList.name)
            && FilePlace.suffixes.allSatisfy { !taken.contains(key + $0) }
    }

    /// Names that some file systems treat as equal have the same key.
    static func key(_ name: String) -> String {
        let small = name.lowercased()
        if small.utf8.allSatisfy({ $0 < 0x80 }) { return small }
        return small.precomposedStringWithCanonicalMapping
    }

    /// The last part of the path, decoded and safe as a name; `index` when it is empty.
    ///
    /// - Parameter hasQuery: whether the query follows, with `%2F` for a slash.
    static func base(for url: URL, hasQuery: Bool = false) -> String {
        let base = lastPart(of: url)
        guard hasQuery, let query = url.query(percentEncoded: true), !query.isEmpty else {
            return base
        }
        let safe = query.replacing("/", with: "%2F").replacing("\\", with: "%5C")
        return harmless("\(base)?\(safe)") ?? base
    }

    private static func lastPart(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        let last = String(
            path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
        let decoded = last.removingPercentEncoding ?? last
        return harmless(decoded) ?? "index"
    }

    /// A name without characters that are dangerous in a path; nil where nothing is left of it.
    static func harmless(_ name: String) -> String? {
        SuggestedFileName(name, limit: limit, keepsDot: true)?.text
    }

    private static func numbered(_ name: String, _ number: Int) -> String {
        SuggestedFileName(name, limit: limit, keepsDot: true)?.numbered(number) ?? name
    }
}

/// The name and path of a file of the list, and of its part and record while it is downloaded.
struct FilePlace: Hashable, Sendable {
    static let suffixes = DownloadPlace.suffixes

    let name: String
    /// The directory, as it was given.
    let directory: String
    private let place: DownloadPlace

    init(directory: String, name: String) {
        self.name = name
        self.directory = directory
        switch directory {
        case ".": place = DownloadPlace(path: name)
        case let directory where directory.hasSuffix("/"):
            place = DownloadPlace(path: directory + name)
        default: place = DownloadPlace(path: "\(directory)/\(name)")
        }
    }

    var path: String { place.path }
    /// The path of the part that was downloaded so far.
    var part: String { place.part }
    /// The path of the record that is needed to continue the part.
    var record: String { place.record }
    /// All paths that a download of the file writes to.
    var paths: [String] { Self.suffixes.map { path + $0 } }

    /// The size of a regular file; nil where there is none.
    static func size(of path: String) -> Int64? {
        let status = cfile_status_at(path)
        return status.failure == 0 && status.is_regular == 1 ? status.size : nil
    }

    /// Sets a file's time to the server's, unless that is in the future.
    static func set(_ date: Date?, of path: String) {
        guard let date, date < Date() else { return }
        try? FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }
}

/// What distinguishes a file from all others while it exists, whichever of its names or links leads to it.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// Nil where there is no file.
    init?(_ path: String) {
        let status = cfile_status_at(path)
        guard status.failure == 0 else { return nil }
        (device, inode) = (status.device, status.inode)
    }
}
