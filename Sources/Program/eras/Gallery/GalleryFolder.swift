import Foundation
import NetworkImages

/// The folder of a gallery: a page, and beside it a thumbnail of each image.
struct GalleryFolder {
    static let page = "index.html"

    let path: String

    /// The name of an address's thumbnail, by the index in the list.
    static func thumbnail(_ index: Int) -> String { "\(index + 1).png" }

    func place(_ name: String) -> String { FilePlace(directory: path, name: name).path }

    /// Checks that the files can be written, without writing any.
    ///
    /// - Parameters:
    ///   - count: the number of addresses.
    ///   - isForced: whether existing files may be replaced.
    /// - Throws: `GalleryError.exists`, `DiskError`.
    func check(count: Int, isForced: Bool) throws {
        for name in [Self.page] + (0..<count).map(Self.thumbnail) {
            guard access(place(name), F_OK) == 0 else { continue }
            guard isForced else { throw GalleryError.exists(place(name)) }
            try NewFile(place(name)).check()
        }
        try Directory(path).check()
    }

    /// Writes the thumbnails and then the page. If that fails, new files are removed.
    ///
    /// - Throws: `DiskError`, `ImageDecodingError`.
    func save(_ tiles: [GalleryTile], page: String) throws {
        let isNew = access(path, F_OK) != 0
        try Directory(path).make()
        var made: [String] = []
        do {
            for (index, tile) in tiles.enumerated() {
                guard case .image(let image, _) = tile.content else { continue }
                try save(try PNGEncoder().data(for: image), Self.thumbnail(index), &made)
            }
            try save(Data(page.utf8), Self.page, &made)
        } catch {
            for name in made { unlink(place(name)) }
            if isNew { rmdir(path) }
            throw error
        }
    }

    private func save(_ data: Data, _ name: String, _ made: inout [String]) throws {
        let isNew = access(place(name), F_OK) != 0
        try NewFile(place(name)).save(data)
        if isNew { made.append(name) }
    }
}

/// Why a gallery cannot be made.
enum GalleryError: Error, Equatable, CustomStringConvertible {
    /// A file exists already.
    case exists(String)
    /// All thumbnails together would be too large.
    case tooLarge(count: Int, side: Int)

    var description: String {
        switch self {
        case .exists(let path):
            "\(path) is there already; use --force to replace it, or another folder with -o."
        case .tooLarge(let count, let side):
            "\(count) images of up to \(side) x \(side) pixels are too many for one page; use a "
                + "smaller --size, or fewer addresses."
        }
    }
}
