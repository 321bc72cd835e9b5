import OperationNetworking

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

    /// The finished file.
    var path: String { place.path }
    /// The path of the part that was downloaded so far.
    var part: String { place.part }
    /// The path of the record that is needed to continue the part.
    var record: String { place.record }
}
