/// The options of a command. `help` has their spellings and explanations, `table` their values and
/// properties. Parser, help and completion are made from both.
protocol CommandOptions: Equatable {
    init()
    static var topic: HelpTopic { get }
    /// Examples, options and exit codes; "{range}" becomes the range of the option in that line.
    static var help: String { get }
    /// The values by long name. It may have further spellings, and options that the help does not list.
    static var table: KeyValuePairs<String, OptionValue<Self>> { get }
    /// Arguments that completion offers.
    static var words: [String] { get }

    /// Reads an argument that is no option.
    mutating func take(_ operand: String, _ reader: ArgumentReader) throws(UsageError)
    /// Checks options against each other, and makes the command.
    func command(_ reader: ArgumentReader) throws(UsageError) -> Command
}

extension CommandOptions {
    static var table: KeyValuePairs<String, OptionValue<Self>> { [:] }
    static var words: [String] { [] }

    mutating func take(_ operand: String, _ reader: ArgumentReader) throws(UsageError) {
        throw reader.usage("\(Self.topic.rawValue) takes no argument, but got \"\(operand)\".")
    }

    /// - Parameter arguments: the arguments after the command's name.
    static func read(_ arguments: some Sequence<String>) throws(UsageError) -> Command {
        var reader = ArgumentReader(arguments, topic: topic)
        var options = Self()
        let spellings = HelpText.spellings(of: topic)
        while let piece = try reader.next() {
            switch piece {
            case .operand(let text): try options.take(text, reader)
            case .option("--help"): return .help(topic)
            case .option("-h"): return .brief(topic)
            case .option(let name):
                let long = spellings.first { $0.short == name }?.long ?? name
                guard let option = option(long) else {
                    throw reader.usage("There is no option \(name).")
                }
                let text = option.needs.isEmpty ? "" : try reader.value(option.needs)
                if let needs = option.take(&options, text) {
                    throw reader.usage("\(name) needs \(needs).")
                }
            }
        }
        return try options.command(reader)
    }

    private static func option(_ long: String) -> OptionValue<Self>? {
        table.first { $0.key.split(separator: " ").contains(long[...]) }?.value
    }

    /// A description of an option's value, by the long name.
    static func needs(_ long: String) -> String? { option(long)?.needs }
}

/// The beginning of an option's line in the help, such as "  -j, --jobs N" or "      --force".
struct OptionSpelling {
    let short: String?
    let long: String
    /// The placeholder for the value; nil where the option takes none.
    let placeholder: String?

    init?(_ line: some StringProtocol) {
        guard line.hasPrefix("  -") || line.hasPrefix("      --") else { return nil }
        let form = #/  (?:(-\w), |    )(--[\w-]+)(?: (\S+))?(?:  .*)?/#
        guard let match = String(line).wholeMatch(of: form) else { return nil }
        short = match.1.map(String.init)
        long = String(match.2)
        placeholder = match.3.map(String.init)
    }
}

/// The options of `eras run`.
struct RunOptions: CommandOptions {
    static let topic = HelpTopic.run
    static let help = """
        eras run - fetches a catalogue from an embedded server and checks every hash

        Example
          eras run

        Twelve files of mixed size and speed, four at once, into a temporary folder that
        is removed at the end. Takes five to ten seconds and needs no network.

        Exit codes
            0  every hash is right, at most four requests ran at once, and all callbacks
               came on one thread
            1  a file failed, a hash differs, more than four requests ran at once, or
               callbacks came on several threads
            2  the arguments are wrong
          130  interrupted with Ctrl-C

        """

    func command(_ reader: ArgumentReader) -> Command { .run }
}

/// The options of `eras serve`.
struct ServeOptions: CommandOptions {
    /// For 0 the system chooses a port.
    var port = 0
    /// Whether it serves over TLS, with a certificate made at the start.
    var isTLS = false
    var isQuiet = false

    static let topic = HelpTopic.serve
    static let help = """
        eras serve - starts the server for experiments on 127.0.0.1

        Examples
          eras serve
          eras serve --port 8080
          eras serve --tls

        It prints its address and its paths, and on standard error a line for each
        request, until Ctrl-C. It has httpbin's paths, others that are slow, cut off or
        wrong in a way of their own, and under /pictures/ pictures that code drew:
        gradients, the eight orientations, an animation and more. /image/png,
        /image/jpeg and /image/webp are one small picture, /image the kind that Accept
        asks for. To see the drawn ones on one page, with --port 8080:
          eras gallery --input http://127.0.0.1:8080/pictures/list.txt

        What a script starts with & ignores SIGINT, and so does this server; there
        SIGTERM ends it, as kill does.

        Options
              --port N         the port, {range}; 0 lets the system choose (0)
          -q, --quiet          print no line for each request
              --tls            https alone, with a certificate that is made at the
                               start; its path is printed, so that it can be trusted or
                               pinned

        Exit codes
          0  stopped with Ctrl-C
          1  it could not start, for example because the port is in use
          2  the arguments are wrong

        """
    static var table: KeyValuePairs<String, OptionValue<Self>> {
        [
            "--port": .set(\.port, .number(0...65_535)), "--tls": .flag(\.isTLS),
            "--quiet": .flag(\.isQuiet),
        ]
    }

    func command(_ reader: ArgumentReader) -> Command { .serve(self) }
}
