import Foundation
import NetworkImages
import TimelinePage

/// The page of a gallery: a tile for each address, with its thumbnail or the reason why there is none.
struct GalleryPage {
    let tiles: [GalleryTile]
    /// The side of a tile, in pixels.
    let side: Int
    /// Tiles in a row; nil for as many as fit into the window.
    var columns: Int?

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="generator" content="eras gallery">
        <title>\(HTMLText.escaped(tiles.summary))</title>
        <style>
        \(style)</style>
        </head>
        <body>
        <h1>\(HTMLText.escaped(tiles.summary))</h1>
        <p>Fetched by <code>eras gallery</code>.</p>
        <main>
        \(tiles.indices.map(figure).joined())</main>
        </body>
        </html>

        """
    }

    private func figure(_ index: Int) -> String {
        let tile = tiles[index]
        let name = HTMLText.escaped(tile.name)
        let label =
            tile.link.map {
                "<a href=\"\(HTMLText.escaped($0))\" rel=\"noreferrer\">\(name)</a>"
            } ?? name
        let content =
            switch tile.content {
            case .problem(let sentence):
                "<div class=\"problem\">\(HTMLText.escaped(sentence))</div>"
            case .image(let image, _):
                "<div class=\"image\"><img src=\"\(GalleryFolder.thumbnail(index))\" alt=\"\(name)\" "
                    + "width=\"\(image.pixelWidth)\" height=\"\(image.pixelHeight)\" loading=\"lazy\"></div>"
            }
        let details = tile.details.isEmpty ? tile.address : tile.details
        return "<figure title=\"\(HTMLText.escaped(tile.address))\">\(content)"
            + "<figcaption>\(label)<small>\(HTMLText.escaped(details))</small></figcaption>"
            + "</figure>\n"
    }

    private var style: String {
        let width = columns == nil ? "76rem" : "none"
        return """
            :root {
              color-scheme: light dark;
              --paper: light-dark(#fcfbf8, #14171b);
              --ink: light-dark(#1c2025, #e8e5de);
              --soft: light-dark(#5a6068, #a5abb2);
              --card: light-dark(#ffffff, #1b1f24);
              --line: light-dark(#e4e1d9, #33383f);
              --shade: light-dark(#f0eee9, #262b31);
              --bad: light-dark(#b4163a, #ff8595);
              --bad-card: light-dark(#fcf0f1, #2b1c21);
              --bad-line: light-dark(#e9c4ca, #5b313a);
            }
            html { background: var(--paper); color: var(--ink); }
            body { margin: 0 auto; max-width: \(width); padding: 2rem 1.5rem; overflow-wrap: anywhere;
              font: .9375rem/1.4 -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
            h1 { font-size: 1.5rem; font-weight: 600; margin: 0; }
            p { color: var(--soft); margin: .25rem 0 1.5rem; }
            a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: .15em; }
            main { display: grid; gap: 1.25rem;
              grid-template-columns: repeat(\(columns.map(String.init) ?? "auto-fill"), \(side)px); }
            figure { margin: 0; width: \(side)px; }
            .image, .problem { box-sizing: border-box; width: \(side)px; height: \(side)px; }
            .image { display: grid; place-items: center; background: var(--card);
              outline: 1px solid var(--line); }
            /* Squares shine through where a picture is not opaque. */
            img { background: repeating-conic-gradient(var(--shade) 0 25%, var(--card) 0 50%)
              0 0 / 16px 16px; }
            .problem { padding: .75rem; overflow: auto; color: var(--bad);
              background: var(--bad-card); border: 1px solid var(--bad-line); }
            figcaption { margin-top: .375rem; }
            small { display: block; color: var(--soft); font-size: .8125rem; }

            """
    }
}

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

    /// Writes the thumbnails and then the page. If that fails, new files are removed; replaced ones stay.
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
