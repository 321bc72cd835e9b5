import Foundation

/// Pure: the three paths of one file.
struct FilePlace: Hashable, Sendable {
    static let partSuffix = ".part"
    static let recordSuffix = ".part.json"
    static let suffixes = ["", partSuffix, recordSuffix]

    let name: String
    /// The finished file.
    let path: String

    init(directory: String, name: String) {
        self.name = name
        switch directory {
        case ".": path = name
        case let directory where directory.hasSuffix("/"): path = directory + name
        default: path = "\(directory)/\(name)"
        }
    }

    /// The part that was downloaded so far.
    var part: String { path + Self.partSuffix }
    /// The record that is needed to continue the part.
    var record: String { path + Self.recordSuffix }
}
