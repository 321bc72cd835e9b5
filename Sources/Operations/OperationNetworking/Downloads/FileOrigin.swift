import CLinux
import Foundation
import HTTPSemantics

/// The origin of a finished file, in an extended attribute.
///
/// Some file systems store no attributes, and a copy may lack them. The origin is unknown then.
package struct FileOrigin: Hashable {
    private static let name = "user.OperationNetworking.origin"

    private let text: String

    /// The mark of a file as it is now: the hash of its address, its length and its time. Whoever
    /// changes the file changes one of the two.
    ///
    /// - Parameter address: without user and password, as records have it.
    package init?(_ address: String, of descriptor: Int32) {
        guard let key = Self.key(address), let state = Self.state(of: descriptor) else {
            return nil
        }
        text = "\(key) \(state)"
    }

    /// What stands for an address in a mark.
    package static func key(_ address: String) -> String? {
        guard let hash = try? SHA256() else { return nil }
        Array(address.utf8).withUnsafeBytes { hash.update($0) }
        return try? hash.digest()
    }

    private static func state(of descriptor: Int32) -> String? {
        let status = cfile_status_of(descriptor)
        guard status.failure == 0, status.is_regular == 1 else { return nil }
        return "\(status.size) \(status.modified_seconds) \(status.modified_nanoseconds)"
    }

    /// The names of the files in a folder that were downloaded and have not changed since, by the keys of
    /// their addresses. It reads the marks of all files.
    package static func names(in folder: String) -> [String: String] {
        var names: [String: String] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            // A pipe is not waited for.
            let descriptor = open(
                "\(folder)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            let parts = attribute(of: descriptor).split(separator: " ", maxSplits: 1)
            if parts.count == 2, let state = state(of: descriptor), parts[1] == state {
                names[String(parts[0])] = name
            }
        }
        return names
    }

    /// Writes down that a file has the bytes of an address, so that it is not read or asked for again.
    package static func mark(_ path: String, _ address: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        FileOrigin(address, of: descriptor)?.write(to: descriptor)
        close(descriptor)
    }

    /// Says of a part that a download made it.
    ///
    /// - Returns: false where the file system stores no attributes.
    static func markPart(_ descriptor: Int32) -> Bool {
        let bytes = Array(part.utf8)
        return cfile_set_attribute(descriptor, name, bytes, bytes.count) == 0
    }

    /// Whether a download made the part.
    static func isPart(_ descriptor: Int32) -> Bool { attribute(of: descriptor) == part }

    private static let part = "part"

    /// Writes the mark; a failure is ignored.
    func write(to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = cfile_set_attribute(descriptor, Self.name, bytes, bytes.count)
    }

    /// Whether the file carries this mark.
    package func marks(_ descriptor: Int32) -> Bool {
        Self.attribute(of: descriptor) == text
    }

    /// Whether the file carries this mark but for its length, which was greater before the system began to run.
    /// Whoever cuts a file changes its time, and a power cut does not.
    func isCutShort(_ descriptor: Int32, startOfSystem: Int64 = cfile_start_of_system()) -> Bool {
        let now = text.split(separator: " ")
        let then = Self.attribute(of: descriptor).split(separator: " ")
        guard now.count == 4, then.count == 4, now[0] == then[0], now[2...] == then[2...],
            let length = Int64(now[1]), let lengthThen = Int64(then[1]), let time = Int64(now[2])
        else { return false }
        return length < lengthThen && time < startOfSystem
    }

    private static func attribute(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = cfile_attribute(descriptor, name, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    }
}
