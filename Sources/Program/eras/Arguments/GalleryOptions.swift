/// The options of `eras gallery`.
struct GalleryOptions: Equatable {
    var urls: [String] = []
    var sources: [URLSource] = []
    /// The contact sheet; its name ends in ".png".
    var sheet = "gallery.png"
    /// How many images are loaded at once.
    var jobs = 4
    /// Tiles in a row; nil for a sheet about as wide as it is high.
    var columns: Int?
    /// Pixels of a tile's side.
    var side = 192
    /// Seconds without a byte after which an image fails.
    var timeout = 60.0
    /// Whether an existing sheet and page are replaced.
    var isForced = false
    var isQuiet = false

    private static let suffix = ".png"

    /// The page, beside the sheet.
    var page: String { sheet.dropLast(Self.suffix.count) + ".html" }

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
        case "-o", "--output": sheet = try sheet(name, &reader)
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

    private func sheet(
        _ name: String, _ reader: inout ArgumentReader
    ) throws(UsageError) -> String {
        let meaning = "the sheet's file, whose name ends in \(Self.suffix)"
        let path = try reader.value(meaning)
        let file = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard file.hasSuffix(Self.suffix), file.count > Self.suffix.count else {
            throw reader.usage("\(name) needs \(meaning), not \"\(path)\".")
        }
        return path
    }
}
