/// The options of `eras gallery`.
struct GalleryOptions: CommandOptions {
    var urls: [String] = []
    var sources: [URLSource] = []
    /// The folder of the page and its thumbnails.
    var directory = "gallery"
    var jobs = 4
    /// Tiles in a row; nil for as many as fit into the window.
    var columns: Int?
    /// The side of a tile, in pixels.
    var side = 192
    var timeout = 60.0
    var isForced = false
    var isQuiet = false

    static let topic = HelpTopic.gallery
    static let help = HelpText.gallery
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

    mutating func take(_ operand: String, _ reader: ArgumentReader) {
        if operand == "-" { sources.append(.standardInput) } else { urls.append(operand) }
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
