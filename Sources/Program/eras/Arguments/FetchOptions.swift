/// The options of `eras fetch`.
struct FetchOptions: Equatable {
    var urls: [String] = []
    var sources: [URLSource] = []
    var directory = "."
    /// Whether the files go to standard output.
    var isToOutput = false
    /// Whether files get the names that servers give them.
    var usesServerNames = false
    /// The hash of the one file.
    var sha256: String?
    /// A file of hashes.
    var sums: String?
    /// The part of the list that is wanted.
    var shard = Shard.whole
    /// How many files are loaded at once.
    var jobs = 4
    /// How many connections may bring one file, and the least number of bytes for each; nil: the library's.
    var segments = 1
    var minimumSegment: Int64?
    /// Tries after the first.
    var retries = 2
    /// Seconds before each of them; nil: a random time that grows.
    var retryDelay: Double?
    /// Whether files may come in a content coding, and are decoded.
    var isCompressed = false
    /// Seconds that one file may take.
    var maxTime: Double?
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
    /// What concerns requests and connections.
    var requests = RequestOptions()

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
        try options.check(reader)
        return .fetch(options)
    }

    private mutating func take(_ name: String, _ reader: inout ArgumentReader) throws(UsageError) {
        switch name {
        case "-j", "--jobs": jobs = try reader.number(in: 1...256)
        case "--segments", "--split": segments = try reader.number(in: 1...16)
        case "--min-split-size": minimumSegment = try reader.size()
        case "-o", "--output": try takeOutput(&reader)
        case "-O", "--remote-name": break  // The names are the URLs' anyway.
        case "-J", "--remote-header-name": usesServerNames = true
        case "-i", "--input": sources.append(try URLSource(&reader))
        case "--shard":
            let text = try reader.value("a part of the list, as 2/8")
            guard let shard = Shard(text) else {
                throw reader.usage(
                    "--shard needs a number and how many there are, from 1/1 on, not \"\(text)\".")
            }
            self.shard = shard
        case "--sha256":
            let text = try reader.value("64 hexadecimal digits")
            guard let hash = HashList.hash(text) else {
                throw reader.usage("--sha256 needs 64 hexadecimal digits, not \"\(text)\".")
            }
            sha256 = hash
        case "--sums": sums = try reader.value("a file of SHA-256 sums, as sha256sum writes it")
        case "--retries", "--retry": retries = try reader.number(in: 0...100)
        case "--retry-delay":
            // As with curl, 0 is what it is without the option.
            let seconds = try reader.seconds(orNone: true)
            retryDelay = seconds > 0 ? seconds : nil
        case "--compressed": isCompressed = true
        case "-m", "--max-time": maxTime = try reader.seconds()
        case "--force": isForced = true
        case "--json": isJSON = true
        case "-q", "--quiet": isQuiet = true
        case "--trace": trace = try reader.value("a file for the trace")
        case "--har": har = try reader.value("a file for the exchanges")
        case "--html": html = try reader.value("a file for the page")
        default:
            guard try requests.take(name, &reader) else { throw reader.unknown(name) }
        }
    }

    private mutating func takeOutput(_ reader: inout ArgumentReader) throws(UsageError) {
        let path = try reader.value("a directory")
        guard !path.isEmpty else { throw reader.usage("-o needs a directory.") }
        isToOutput = path == NewFile.standardOutput
        if !isToOutput { directory = path }
    }

    private func check(_ reader: ArgumentReader) throws(UsageError) {
        if isToOutput, isJSON {
            throw reader.usage("-o - and --json both write to standard output; choose one.")
        }
        if sha256 != nil, sums != nil {
            throw reader.usage("--sha256 is for one file and --sums for many; choose one.")
        }
        if requests.key != nil, requests.certificate == nil {
            throw reader.usage("--key belongs to a certificate; name that with --cert.")
        }
    }

    /// The URLs of a list, one a line, without blank lines, lines that begin with #, and notes: what
    /// follows a blank and a #.
    static func urls(inList text: String) -> [String] {
        let blanks: [UInt8] = [0x20, 0x09, 0x0D]
        // As bytes, because CR LF is one character to Swift, and a mark of the order of bytes part of one.
        return text.utf8.split(whereSeparator: { $0 == 0x0A }).compactMap { line in
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            var rest = line.starts(with: mark) ? line.dropFirst(mark.count) : line
            rest = rest.drop { blanks.contains($0) }
            guard rest.first != UInt8(ascii: "#") else { return nil }
            let note = zip(rest.indices, rest.dropFirst()).first { index, next in
                blanks.contains(rest[index]) && next == UInt8(ascii: "#")
            }
            if let note { rest = rest[..<note.0] }
            guard let end = rest.lastIndex(where: { !blanks.contains($0) }) else { return nil }
            return String(Substring(rest[...end]))
        }
    }
}
