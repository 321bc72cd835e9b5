/// Pure: the paths of one file and what lies beside it until it is whole.
package struct DownloadPlace: Hashable, Sendable {
    package static let partSuffix = ".part"
    package static let recordSuffix = ".part.json"
    /// A record that is being written.
    static let newRecordSuffix = ".part.json~"
    package static let suffixes = ["", partSuffix, recordSuffix, newRecordSuffix]
    package static let longestSuffix = newRecordSuffix

    /// The finished file.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// The part that was downloaded so far.
    package var part: String { path + Self.partSuffix }
    /// The record that is needed to continue the part.
    package var record: String { path + Self.recordSuffix }
    var newRecord: String { path + Self.newRecordSuffix }
}
