/// The options of `eras gallery`.
struct GalleryOptions: ListingOptions {
    var urls: [String] = []
    var sources: [URLSource] = []
    /// The folder of the page and its thumbnails.
    var directory = "gallery"
    var jobs = 4
    /// Tiles in a row; nil for as many as fit into the window.
    var columns: Int?
    var side = 192
    var timeout = 60.0
    var isForced = false
    var isQuiet = false

    static let topic = HelpTopic.gallery
    static let help = """
        eras gallery - downloads images, and makes a page of their thumbnails

        Examples
          eras gallery https://example.com/a.jpg https://example.com/b.png
          eras gallery -o holiday --size 256 --input urls.txt
        Without any network, in two terminals:
          eras serve --port 8080
          eras gallery --input http://127.0.0.1:8080/pictures/list.txt

        The page, index.html in a folder of its own, has a tile for each image, with its
        address as a link; the thumbnails are beside it, 1.png for the first address.
        The tile of an image that cannot be shown says why. PNG, JPEG, GIF, BMP and ICO
        are decoded, by their first bytes and within limits; of an animation the first
        frame is shown. Equal addresses are downloaded once.

        URLs come from the arguments, from --input FILE, and from standard input when
        "-" is given or when there is no URL and standard input is not a terminal. A
        list has one URL a line; blank lines and lines that begin with # do not count.

        Options
          -o, --output DIR     where page and thumbnails go; made when missing (gallery)
          -i, --input FILE     a list of URLs: a file, an http address, or "-", standard
                               input
          -j, --jobs N         images at once, {range} (4)
              --columns N      tiles in a row, {range} (as many as fit into the window)
              --size N         the side of a tile in pixels, {range} (192)
              --timeout SEC    seconds without a byte after which an image fails, or the
                               list of a server (60)
              --force          replace an existing page and thumbnails
          -q, --quiet          no progress and no summary, only errors

        Exit codes
            0  every image is on the page
            1  an image could not be shown, or the page or a thumbnail cannot be written
            2  the arguments are wrong
          130  interrupted with Ctrl-C; nothing is written

        """
    static var table: KeyValuePairs<String, OptionValue<Self>> {
        [
            "--output": .set(\.directory, .folder),
            "--input": .add(\.sources, .list),
            "--jobs": .set(\.jobs, .number(1...256)),
            "--columns": .set(\.columns, .number(1...100)),
            "--size": .set(\.side, .number(96...1_024)),
            "--timeout": .set(\.timeout, .seconds),
            "--force": .flag(\.isForced),
            "--quiet": .flag(\.isQuiet),
        ]
    }

    func command(_ reader: ArgumentReader) -> Command { .gallery(self) }
}

extension ValueKind<String> {
    /// A folder, without the extension of a picture or a page: such a name was meant for one file.
    fileprivate static var folder: Self {
        Self("a folder for the page and its thumbnails") { path in
            let isFile = [".png", ".html"].contains { path.lowercased().hasSuffix($0) }
            return path.isEmpty || path == NewFile.standardOutput || isFile ? nil : path
        }
    }
}
