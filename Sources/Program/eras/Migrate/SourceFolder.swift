import CLinux
import Foundation

/// The sources below a folder, within limits; links are not followed.
struct SourceFolder {
    struct Limits: Sendable {
        var bytes = 4 << 20
        var depth = 48
        var files = 50_000
    }

    /// Something that was not read, and the reason.
    struct Omission: Equatable {
        var path: String
        var reason: String
    }

    private let limits: Limits
    private(set) var paths: [String] = []
    private(set) var omissions: [Omission] = []
    private(set) var links = 0
    /// Whether the path itself is a source, which may be a link, and not a folder.
    private var isNamed = false
    private var hasTooMany = false
    /// Skipped folders: packages, build products, AFNetworking itself.
    private(set) var skipped: [String] = []

    private static let endings: Set = ["h", "m", "mm", "swift", "pch"]
    private static let others: Set = [
        "Pods", "Carthage", "DerivedData", "node_modules", "SourcePackages",
    ]
    private static let theirs: Set = ["AFURLRequestSerialization.h", "UIKit+AFNetworking.h"]

    /// - Throws: `DiskError` where nothing can be read at the path.
    init(_ path: String, limits: Limits = Limits()) throws(DiskError) {
        self.limits = limits
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(action: "read", path: path) }
        let status = cfile_status_of(descriptor)
        guard status.is_directory == 1 else {
            close(descriptor)
            isNamed = true
            guard status.is_regular == 1 else {
                throw DiskError(action: "read", path: path, code: EINVAL)
            }
            paths = [path]
            return
        }
        read(descriptor, path, depth: 0)
    }

    /// - Parameter folder: the descriptor of an open folder, which is closed here.
    private mutating func read(_ folder: Int32, _ path: String, depth: Int) {
        guard let stream = fdopendir(folder) else {
            omissions.append(Omission(path: path, reason: String(cString: strerror(errno))))
            close(folder)
            return
        }
        defer { closedir(stream) }
        let names = Self.names(stream)
        if depth > 0, !Self.theirs.isDisjoint(with: names) {
            skipped.append(path)
            return
        }
        for name in names {
            let whole = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            let isSource = Self.endings.contains((name as NSString).pathExtension)
            let descriptor = openat(
                folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else {
                let code = errno
                if code == ELOOP {
                    links += 1
                } else if isSource || code == EACCES {
                    let reason = String(cString: strerror(code))
                    omissions.append(Omission(path: whole, reason: reason))
                }
                continue
            }
            let status = cfile_status_of(descriptor)
            if status.is_directory == 1 {
                enter(descriptor, whole, name, depth: depth)
                continue
            }
            close(descriptor)
            if isSource, status.is_regular == 1 { take(whole, status.size) }
        }
    }

    private mutating func enter(_ folder: Int32, _ path: String, _ name: String, depth: Int) {
        if name.hasPrefix(".") || Self.others.contains(name) {
            close(folder)
            if !name.hasPrefix(".") { skipped.append(path) }
        } else if depth >= limits.depth {
            close(folder)
            let reason = "more than \(limits.depth) folders in each other"
            omissions.append(Omission(path: path, reason: reason))
        } else {
            read(folder, path, depth: depth + 1)
        }
    }

    private mutating func take(_ path: String, _ size: Int64) {
        if size > limits.bytes {
            omissions.append(Omission(path: path, reason: "more than \(limits.bytes) bytes"))
        } else if paths.count >= limits.files {
            if !hasTooMany {
                hasTooMany = true
                let reason = "more than \(limits.files) sources"
                omissions.append(Omission(path: "the rest", reason: reason))
            }
        } else {
            paths.append(path)
        }
    }

    /// The names in a folder, in order, without "." and "..".
    private static func names(_ stream: OpaquePointer) -> [String] {
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { place in
                place.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The bytes of a source, which may have grown since it was found.
    func contents(_ path: String) -> Result<[UInt8], DiskError> {
        let links = isNamed ? 0 : O_NOFOLLOW
        return Result { () throws(DiskError) in
            try InputFile(at: path, flags: O_NONBLOCK | links).read(limit: limits.bytes)
        }
    }
}
