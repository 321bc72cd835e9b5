/// The options of `eras fetch`.
struct FetchOptions: CommandOptions {
    var urls: [String] = []
    var sources: [URLSource] = []
    var output = "."
    var usesServerNames = false
    var sha256: String?
    var sums: String?
    var shard = Shard.whole
    var jobs = 4
    var segments = 1
    /// Nil for the library's default.
    var minimumSegment: Int64?
    var retries = 2
    /// Nil for a random time that grows; 0 means the same, as with curl.
    var retryDelay: Double? { didSet { if retryDelay == 0 { retryDelay = nil } } }
    var isCompressed = false
    var maxTime: Double?
    var isForced = false
    var isJSON = false
    var isQuiet = false
    var trace: String?
    var har: String?
    var html: String?
    var requests = RequestOptions()

    static let topic = HelpTopic.fetch
    static let help = HelpText.fetch
    static var table: KeyValuePairs<String, OptionValue<Self>> {
        [
            "--output": .set(\.output, .directory),
            "--remote-name": .nothing,
            "--remote-header-name": .flag(\.usesServerNames),
            "--input": .add(\.sources, .list),
            "--shard": .set(\.shard, .shard),
            "--sha256": .set(\.sha256, ValueKind("64 hexadecimal digits", HashList.hash)),
            "--sums": .set(\.sums, .text("a file of SHA-256 sums, as sha256sum writes it")),
            "--force": .flag(\.isForced),
            "--jobs": .set(\.jobs, .number(1...256)),
            "--segments --split": .set(\.segments, .number(1...16)),
            "--min-split-size": .set(\.minimumSegment, .size),
            "--limit-rate": .set(\.requests.rate, .size),
            "--retries --retry": .set(\.retries, .number(0...100)),
            "--retry-delay": .set(\.retryDelay, .secondsOrNone),
            "--timeout": .set(\.requests.timeout, .seconds),
            "--connect-timeout": .set(\.requests.connectTimeout, .seconds),
            "--max-time": .set(\.maxTime, .seconds),
            "--header": .add(\.requests.fields, .field),
            "--user-agent": .add(\.requests.fields, .field("User-Agent", "a name")),
            "--referer": .add(\.requests.fields, .field("Referer", "an address")),
            "--compressed": .flag(\.isCompressed),
            "--user": .set(\.requests.user, .text("a user and a password, as me:secret")),
            "--netrc": .flag(\.requests.netrc, "~/.netrc"),
            "--netrc-file": .set(\.requests.netrc, .text("a file of users and passwords")),
            "--cookie": .add(\.requests.cookies, .text("cookies, as a=1, or a file")),
            "--cookie-jar": .set(\.requests.cookieJar, .text("a file for the cookies")),
            "--proxy": .set(\.requests.proxy, .text("a proxy, as http://host:8080")),
            "--proxy-env": .flag(\.requests.usesProxyEnvironment),
            "--cacert": .set(\.requests.authorities, .text("a file of certificates in PEM")),
            "--cert": .set(
                \.requests.certificate, .text("a certificate's file, PEM or PKCS#12")),
            "--key": .set(\.requests.key, .text("the file of the certificate's key")),
            "--json": .flag(\.isJSON),
            "--quiet": .flag(\.isQuiet),
            "--trace": .set(\.trace, .text("a file for the trace")),
            "--har": .set(\.har, .text("a file for the exchanges")),
            "--html": .set(\.html, .text("a file for the page")),
        ]
    }

    var isToOutput: Bool { output == NewFile.standardOutput }
    var directory: String { isToOutput ? "." : output }

    mutating func take(_ operand: String, _ reader: ArgumentReader) {
        if operand == "-" { sources.append(.standardInput) } else { urls.append(operand) }
    }

    func command(_ reader: ArgumentReader) throws(UsageError) -> Command {
        if isToOutput, isJSON {
            throw reader.usage("-o - and --json both write to standard output; choose one.")
        }
        if sha256 != nil, sums != nil {
            throw reader.usage("--sha256 is for one file and --sums for many; choose one.")
        }
        if requests.key != nil, requests.certificate == nil {
            throw reader.usage("--key belongs to a certificate; name that with --cert.")
        }
        return .fetch(self)
    }

    /// The URLs of a list, one a line. Blank lines are left out, and comments: lines that begin with #,
    /// and what follows a blank and a #.
    static func urls(inList text: String) -> [String] {
        let blanks: [UInt8] = [0x20, 0x09, 0x0D]
        // As bytes: for Swift CR LF is one character, and a byte order mark is part of a character.
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

extension ValueKind<String> {
    fileprivate static var directory: Self {
        Self("a directory", refusal: { _ in "a directory" }) { $0.isEmpty ? nil : $0 }
    }
}

extension ValueKind<Shard> {
    fileprivate static var shard: Self {
        Self("a number and how many there are, from 1/1 on") { Shard($0) }
    }
}
