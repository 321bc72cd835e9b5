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

    /// What there is of it while it is downloaded.
    var part: String { path + Self.partSuffix }
    /// What is needed to go on with the part.
    var record: String { path + Self.recordSuffix }
}
