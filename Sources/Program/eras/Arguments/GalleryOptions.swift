/// The options of `eras gallery`.
struct GalleryOptions: Equatable {
    var urls: [String] = []
    var sources: [URLSource] = []
    /// The folder of the page and its thumbnails.
    var directory = "gallery"
    /// How many images are loaded at once.
    var jobs = 4
    /// Tiles in a row; nil for as many as the window has room for.
    var columns: Int?
    /// Pixels of a tile's side.
    var side = 192
    /// Seconds without a byte after which an image fails.
    var timeout = 60.0
    /// Whether an existing page and its thumbnails are replaced.
    var isForced = false
    var isQuiet = false

    static func command(_ arguments: ArraySlice<String>) throws(UsageError) -> Command {
        var reader = ArgumentReader(arguments, topic: .gallery)
        var options = GalleryOptions()
        while let piece = try reader.next() {
            switch piece {
            case .operand("-"): options.sources.append(.standardInput)
            case .operand(let url): options.urls.append(url)
            case .option("--help"), .option("-h"): return .help(.gallery)
            case .option(let name): try options.take(name, &reader)
            }
        }
        return .gallery(options)
    }

    private mutating func take(_ name: String, _ reader: inout ArgumentReader) throws(UsageError) {
        switch name {
        case "-o", "--output": directory = try Self.directory(name, &reader)
        case "-i", "--input": sources.append(try URLSource(&reader))
        case "-j", "--jobs": jobs = try reader.number(in: 1...256)
        case "--columns": columns = try reader.number(in: 1...100)
        case "--size": side = try reader.number(in: 96...1_024)
        case "--timeout": timeout = try reader.seconds()
        case "--force": isForced = true
        case "-q", "--quiet": isQuiet = true
        default: throw reader.unknown(name)
        }
    }

    /// Whoever names a picture or a page expects one file, so a folder gets no such name.
    private static func directory(
        _ name: String, _ reader: inout ArgumentReader
    ) throws(UsageError) -> String {
        let meaning = "a folder for the page and its thumbnails"
        let path = try reader.value(meaning)
        let isFile = [".png", ".html"].contains { path.lowercased().hasSuffix($0) }
        guard !path.isEmpty, path != NewFile.standardOutput, !isFile else {
            throw reader.usage("\(name) needs \(meaning), not \"\(path)\".")
        }
        return path
    }
}
