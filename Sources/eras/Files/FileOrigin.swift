import CFileStatus
import Foundation

/// The origin of a finished file, in an extended attribute.
///
/// Some file systems store no attributes, and a copy may lack them. The origin is unknown then.
struct FileOrigin {
    private static let name = "user.eras.origin"

    private let text: String

    /// The mark of a file as it is now: the hash of its address, its length and its time. Whoever
    /// changes the file changes one of the two.
    init?(_ url: String, of descriptor: Int32) {
        let status = cfile_status_of(descriptor)
        guard status.failure == 0, let hash = try? SHA256() else { return nil }
        Array(ShownURL.text(url).utf8).withUnsafeBytes { hash.update($0) }
        text =
            "\(hash.finish()) \(status.size) \(status.modified_seconds) "
            + "\(status.modified_nanoseconds)"
    }

    /// Writes the mark; a failure is ignored.
    func write(to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = cfile_set_attribute(descriptor, Self.name, bytes, bytes.count)
    }

    /// Whether the file carries this mark.
    func marks(_ descriptor: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = cfile_attribute(descriptor, Self.name, &bytes, bytes.count)
        return count > 0 && String(decoding: bytes.prefix(count), as: UTF8.self) == text
    }
}
