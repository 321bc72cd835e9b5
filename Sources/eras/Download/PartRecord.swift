import Foundation
import HTTPSemantics
import OperationNetworking

/// The contents of `NAME.part.json`: the URL of the part, and the server's validator.
///
/// It is written before the first byte and removed before a part is emptied, so that a part never
/// lies beside the record of another version, whenever the process dies. A record that is not whole
/// cannot be read, and its part starts over.
struct PartRecord: Codable, Equatable {
    var url: String
    /// Its offset is the part's size when the record was written; the part's present size is used.
    var content: PartialContent

    init(url: String, content: PartialContent) {
        self.url = url
        self.content = content
    }

    /// The record of a part without bytes.
    init(url: String, validator: String, totalLength: Int64?) {
        let content = PartialContent(offset: 0, validator: validator, totalLength: totalLength)
        self.init(url: url, content: content)
    }

    static func read(_ place: FilePlace) -> PartRecord? {
        (try? Data(contentsOf: URL(fileURLWithPath: place.record))).flatMap {
            try? JSONDecoder().decode(PartRecord.self, from: $0)
        }
    }

    /// `Data.write` would wait for the disk (fsync), and the network thread must not wait.
    func write(_ place: FilePlace) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let data = try encoder.encode(self)
        let descriptor = open(place.record, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw DiskError(action: "open", path: place.record) }
        defer { close(descriptor) }
        let count = data.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        guard count == data.count else {
            throw DiskError(action: "write", path: place.record, code: count < 0 ? errno : ENOSPC)
        }
    }

    static func remove(_ place: FilePlace) {
        unlink(place.record)
    }

    /// The content to continue from a part of that size; nil where it cannot be continued.
    func content(of size: Int64, for url: String) -> PartialContent? {
        guard url == self.url, size > 0, size <= content.totalLength ?? .max else { return nil }
        var content = content
        content.offset = size
        return content
    }
}
