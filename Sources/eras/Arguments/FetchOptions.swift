/// The options of `eras fetch`.
struct FetchOptions: Equatable {
    /// A list of more URLs, one a line.
    enum Source: Equatable {
        case file(String)
        case standardInput
    }

    var urls: [String] = []
    var sources: [Source] = []
    var directory = "."
    /// How many files are loaded at once.
    var jobs = 4
    /// Tries after the first.
    var retries = 2
    /// Seconds without a byte after which a try fails.
    var timeout = 60.0
    /// Whether finished files and parts are fetched again.
    var isForced = false
    var isJSON = false
    var isQuiet = false
    /// The file for the events, in the trace-event format of Perfetto.
    var trace: String?
    /// The file for the exchanges, as HAR 1.2.
    var har: String?
    /// The file for the page that shows the events.
    var html: String?

    static func command(_ arguments: ArraySlice<String>) throws(UsageError) -> Command {
        var reader = ArgumentReader(arguments, topic: .fetch)
        var options = FetchOptions()
        while let piece = try reader.next() {
            switch piece {
            case .operand("-"): options.sources.append(.standardInput)
            case .operand(let url): options.urls.append(url)
            case .option("--help"), .option("-h"): return .help(.fetch)
            case .option(let name): try options.take(name, &reader)
            }
        }
        return .fetch(options)
    }

    private mutating func take(_ name: String, _ reader: inout ArgumentReader) throws(UsageError) {
        switch name {
        case "-j", "--jobs": jobs = try reader.number(in: 1...256)
        case "-o", "--output": directory = try directory(&reader)
        case "-i", "--input":
            let path = try reader.value("a file with one URL a line")
            sources.append(path == "-" ? .standardInput : .file(path))
        case "--retries": retries = try reader.number(in: 0...100)
        case "--timeout": timeout = try reader.seconds()
        case "--force": isForced = true
        case "--json": isJSON = true
        case "-q", "--quiet": isQuiet = true
        case "--trace": trace = try reader.value("a file for the trace")
        case "--har": har = try reader.value("a file for the exchanges")
        case "--html": html = try reader.value("a file for the page")
        default: throw reader.unknown(name)
        }
    }

    private func directory(_ reader: inout ArgumentReader) throws(UsageError) -> String {
        let path = try reader.value("a directory")
        guard !path.isEmpty else { throw reader.usage("-o needs a directory.") }
        guard path != NewFile.standardOutput else {
            throw reader.usage(
                "-o names a directory, and fetch does not write files to standard output; "
                    + "a directory of that name is ./-.")
        }
        return path
    }

    /// The URLs of a list, one a line, without blank lines and lines that begin with #.
    static func urls(inList text: String) -> [String] {
        // As bytes, because CR LF is one character to Swift.
        text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let blanks: [UInt8] = [0x20, 0x09, 0x0D]
            let start = line.drop { blanks.contains($0) }
            let end = start.lastIndex { !blanks.contains($0) }
            guard let end, start.first != UInt8(ascii: "#") else { return nil }
            return String(Substring(start[...end]))
        }
    }
}
