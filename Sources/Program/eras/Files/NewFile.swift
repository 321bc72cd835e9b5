import CLinux
import Foundation

/// A file that a command writes at once; "-" is standard output.
///
/// An existing file keeps its contents if writing fails, unless it must be written in place: see `replace`.
/// A symbolic link is followed, and not replaced; devices and pipes are written to.
struct NewFile {
    static let standardOutput = "-"

    let path: String
    private let isPrivate: Bool
    /// The mode of a new file.
    private var mode: mode_t { isPrivate ? 0o600 : 0o644 }

    /// - Parameter isPrivate: whether only the file's owner may read it, also where it exists already.
    init(_ path: String, isPrivate: Bool = false) {
        self.path = path
        self.isPrivate = isPrivate
    }

    /// Checks that the file can be written, without changing it.
    func check() throws(DiskError) {
        guard path != Self.standardOutput else { return }
        let isNew = access(path, F_OK) != 0
        // O_NONBLOCK: does not wait for a pipe's reader.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, mode)
        guard descriptor >= 0 || errno == ENXIO else {
            throw DiskError(action: "write", path: path)
        }
        if descriptor >= 0 { close(descriptor) }
        if isNew { remove() }
    }

    /// Removes the file, and not a link to it.
    private func remove() {
        guard let whole = Self.resolved(path) else { return }
        unlink(whole)
    }

    /// The path of an existing file, without symbolic links.
    static func resolved(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    /// Replaces the contents by the data.
    func save(_ data: Data) throws(DiskError) {
        guard path != Self.standardOutput else {
            Console.toOutput(data)
            return
        }
        if try replace(data) { return }
        let isNew = access(path, F_OK) != 0
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw DiskError(action: "write", path: path) }
        defer { close(descriptor) }
        let isRegular = cfile_status_of(descriptor).is_regular == 1
        var isEmptied = false
        do throws(DiskError) {
            if isRegular {
                try makePrivate(descriptor)
                guard ftruncate(descriptor, 0) == 0 else {
                    throw DiskError(action: "write", path: path)
                }
                isEmptied = true
            }
            try write(data, to: descriptor)
        } catch {
            if isNew, isRegular { remove() }
            var error = error
            // It may have other names, so it is not removed.
            error.isIncomplete = !isNew && isEmptied
            throw error
        }
    }

    /// - Throws: `DiskError` where a private file's mode cannot be changed, and others may read it.
    private func makePrivate(_ descriptor: Int32) throws(DiskError) {
        guard isPrivate, fchmod(descriptor, mode) != 0 else { return }
        let code = errno
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: Self.resolved(path) ?? path)
        let oldMode = attributes?[.posixPermissions] as? Int
        if let oldMode, oldMode & 0o077 == 0 { return }
        throw DiskError(action: "keep others from reading", path: path, code: code)
    }

    /// Replaces the contents by the text in UTF-8.
    func save(_ text: String) throws(DiskError) { try save(Data(text.utf8)) }

    /// Writes a page, and reports its path unless it is standard output.
    func savePage(_ html: String, isQuiet: Bool = false) throws(DiskError) {
        try save(html)
        guard path != Self.standardOutput, !isQuiet else { return }
        Console.toError("The page: \(URL(fileURLWithPath: path).path)\n")
    }

    /// Replaces an existing file by a new one with the same owner, and the same mode unless it is private.
    ///
    /// - Returns: false where that is not possible: there is no writable regular file, it has several
    ///   hard links, no file can be made in its folder, or the owner cannot be the same.
    private func replace(_ data: Data) throws(DiskError) -> Bool {
        guard let old = Self.resolved(path), access(old, W_OK) == 0 else { return false }
        let status = cfile_status_at(old)
        guard status.failure == 0, status.is_regular == 1, status.links == 1,
            let attributes = try? FileManager.default.attributesOfItem(atPath: old)
        else { return false }
        let new = "\(old).\(UUID().uuidString.prefix(8))~"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if [ENOSPC, EDQUOT].contains(errno) { throw DiskError(action: "write", path: path) }
            return false
        }
        defer { close(descriptor) }
        do throws(DiskError) {
            try write(data, to: descriptor)
            guard give(attributes, to: descriptor) else {
                unlink(new)
                return false
            }
            guard rename(new, old) == 0 else { throw DiskError(action: "write", path: path) }
            return true
        } catch {
            unlink(new)
            throw error
        }
    }

    /// - Returns: false where the owner cannot be the same.
    private func give(
        _ attributes: [FileAttributeKey: Any], to descriptor: Int32
    ) -> Bool {
        guard let owner = attributes[.ownerAccountID] as? Int,
            let group = attributes[.groupOwnerAccountID] as? Int,
            let oldMode = attributes[.posixPermissions] as? Int
        else { return false }
        return fchown(descriptor, uid_t(owner), gid_t(group)) == 0
            && fchmod(descriptor, isPrivate ? mode : mode_t(oldMode)) == 0
    }

    private func write(_ data: Data, to descriptor: Int32) throws(DiskError) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DiskError(action: "write", path: path) }
            rest = rest.dropFirst(count)
        }
    }
}
