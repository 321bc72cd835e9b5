import OperationNetworking

/// Pure: a file of the list by name and path, with what lies beside it until it is whole.
struct FilePlace: Hashable, Sendable {
    static let suffixes = DownloadPlace.suffixes

    let name: String
    /// Where it is, as it was given.
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

    /// The finished file.
    var path: String { place.path }
    /// The part that was downloaded so far.
    var part: String { place.part }
    /// The record that is needed to continue the part.
    var record: String { place.record }
}
