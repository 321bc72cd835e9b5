/// The texts of `eras --help` and `eras COMMAND --help`: examples, options, exit codes.
enum HelpText {
    static func text(for topic: HelpTopic) -> String {
        let lines = written(topic).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { line in
            let needs = OptionSpelling(line).flatMap { topic.options?.needs($0.long) } ?? ""
            return line.replacing(
                "{range}", with: needs.replacing("a whole number from ", with: ""))
        }.joined(separator: "\n")
    }

    /// The help in its short size: examples, and each option with the beginning of its explanation.
    static func brief(_ topic: HelpTopic) -> String {
        guard !spellings(of: topic).isEmpty else { return text(for: topic) }
        var lines = text(for: topic).split(separator: "\n", omittingEmptySubsequences: false)
        let examples = lines.dropFirst(2).firstIndex(of: "") ?? lines.count
        var text = lines[..<examples].joined(separator: "\n") + "\n"
        lines.removeFirst(examples)
        var heading = ""
        for (index, line) in lines.enumerated() {
            guard OptionSpelling(line) != nil else {
                if !line.hasPrefix(" ") { heading = "\n\(line)\n" }
                continue
            }
            let rest = lines[(index + 1)...].prefix { $0.hasPrefix("               ") }
            text += heading + brief(line, rest)
            heading = ""
        }
        return text + "\neras \(topic.rawValue) --help says more.\n"
    }

    /// An option with the first clause of its explanation.
    private static func brief(_ line: Substring, _ rest: ArraySlice<Substring>) -> String {
        let parts = line.firstMatch(of: /^( +\S.*?  +)(\S.*)$/)
        guard let parts else { return line + "\n" }
        let words = [parts.2] + rest.map { $0.drop { $0 == " " } }
        let whole = words.joined(separator: " ")
        let end = ["; ", ". ", ": "].compactMap { whole.firstRange(of: $0)?.lowerBound }
            .filter { end in
                let clause = whole[..<end]
                return clause.count { $0 == "\"" } % 2 == 0
                    && clause.count { $0 == "(" } == clause.count { $0 == ")" }
            }.min()
        return Wrapping.text(
            String(whole[..<(end ?? whole.endIndex)]), after: String(parts.1), indent: 23)
    }

    /// The options in a command's help.
    static func spellings(of topic: HelpTopic) -> [OptionSpelling] {
        written(topic).split(separator: "\n").compactMap { OptionSpelling($0) }
    }

    private static func written(_ topic: HelpTopic) -> String { topic.options?.help ?? overview }

    private static let overview = """
        eras - downloads files; compares and teaches the eras of AFNetworking

        Examples
          eras fetch https://example.com/a.iso https://example.com/b.iso
          eras fetch -j 8 -o downloads --input urls.txt
          eras serve --port 8080
          eras gallery --input http://127.0.0.1:8080/pictures/list.txt
          eras run
          eras compare
          eras lesson 7

        Commands
          fetch        download files, several at once, and resume partial ones
          gallery      download images, and make a page of their thumbnails
          serve        start the server for experiments on 127.0.0.1
          run          fetch a catalogue from an embedded server and check every hash
          compare      run the same scenarios in every era, and show what changed
          lesson       learn the architecture by a guess, an experiment, an explanation
          quiz         judge 24 sentences, true or false
          migrate      list AFNetworking's old names in your sources, and the new ones
          completion   print a script that lets a shell complete commands and options
          man          print the manual page
          help NAME    explain a command, as eras NAME --help does; -h lists its options
          --version    print the version

        Exit codes
            0  all went well
            1  something failed: a file, a hash, a scenario, an output that cannot be
               written
            2  the arguments are wrong
          130  interrupted with Ctrl-C

        """

    static let gallery = """
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
              --timeout SEC    seconds without a byte after which an image fails (60)
              --force          replace an existing page and thumbnails
          -q, --quiet          no progress and no summary, only errors

        Exit codes
            0  every image is on the page
            1  an image could not be shown, or the page or a thumbnail cannot be written
            2  the arguments are wrong
          130  interrupted with Ctrl-C; nothing is written

        """

    static let serve = """
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

    static let run = """
        eras run - fetches a catalogue from an embedded server and checks every hash

        Example
          eras run

        Twelve files of mixed size and speed, four at once, into a temporary folder that
        is removed at the end. Takes five to ten seconds and needs no network.

        Exit codes
            0  every hash is right, and the limit of four was not exceeded
            1  a file failed, a hash differs, or more requests ran at once than allowed
            2  the arguments are wrong
          130  interrupted with Ctrl-C

        """

    static let compare = """
        eras compare - runs scenarios in every era, and shows what differs, and why

        Examples
          eras compare
          eras compare ten-json-gets cancel-one
          eras compare --html comparison.html
          eras compare --original cancel
          eras compare --json - | jq '.[] | select(.verdict != "equal") | .difference'

        The columns
        \(columns)
        Each scenario runs five times in each column, in its own process, against a
        server on loopback. "equal": every outcome is the same as in the column with
        which it is compared, and so are the requests that the server saw. "different":
        they differ, and the scenario declares each difference and its cause: the era's
        design, Foundation on Linux, or a repair of this port. "failed": anything else.
        Takes a few minutes and needs no network.

        The numbers, also of page and document, are those of the run with the median
        wall time. Server and process do one get before the clock starts. A column is
        "faster" than the other where four fifths of its runs took less time than every
        run of the other, and its median is a tenth less, at least 1 ms; it is "slower"
        where the other is faster, and "level" otherwise. With fewer than three runs
        there is no such verdict, and none where results or requests differ: that is not
        the same work.

        --original runs nothing. It shows what AFNetworking 2.6.3 and Alamofire 4.9.1
        did, as recorded while they ran, event by event with its thread, beside what
        this package did in the same scenario: equal, or deliberate with the reason.
        Arguments are then texts that a trace has in its name.

        Options
              --original       the recorded traces of the originals, beside this
                               package's
              --list           list the scenarios with their questions, with --original
                               the traces
              --runs N         runs of each scenario in each column, {range} (5)
              --json FILE      a list of objects, one a scenario and column, with the
                               keys scenario, column, compared_with, verdict,
                               difference, because_of, pace, requests, connections,
                               threads, wall_ms, wall_min_ms, wall_max_ms, cpu_ms, runs,
                               callbacks, outcomes; without compared_with and pace where
                               there are none
              --html FILE      a page that shows all columns on one time axis, in one
                               file
              --markdown FILE  the document with the eras' code; run it in the project's
                               folder
              --check          write no document; fail if it is out of date, except
                               measurements
          -q, --quiet          no progress

        FILE may be "-", which is standard output, once; the table is left out then.

        Exit codes
            0  no scenario failed
            1  a scenario failed, the document is out of date, or an output cannot be
               written
            2  the arguments are wrong
          130  interrupted with Ctrl-C; no output is written

        """

    static let migrate = """
        eras migrate - lists AFNetworking's old names in sources, and what replaces them

        Examples
          eras migrate --scan MyApp
          eras migrate --scan MyApp --scan Shared/Client.m

        It reads Objective-C and Swift (.h, .m, .mm, .pch, .swift) and prints for each
        name of AFNetworking 2.7, 3.x or 4.0.1 a line: PATH:LINE, the old name, the new
        one and what else differs. In the same form it prints each row of the migration
        guide's tables that applies to a line, with its heading, and each name without a
        replacement, with the reason. Further lines with the same are in brackets.
        Nothing is rewritten.

        Comments and string literals are not searched. A name that is the same in Swift
        is left out in Swift. Types of variables are not known: a method that several
        types have is listed for each of those that the project uses.

        Folders named Pods, Carthage, DerivedData, SourcePackages and node_modules,
        hidden ones and AFNetworking itself are skipped, and links are not followed. A
        file of more than 4 MiB, files more than 48 folders deep, and sources after the
        first 50,000 are not read, and reported.

        Options
              --scan PATH      a folder, with all that is in it, or a file; repeatable

        Exit codes
            0  nothing is left to do
            1  there is something to do, or something could not be read
            2  the arguments are wrong, or there is nothing at PATH

        """

    /// A line for each column.
    private static var columns: String {
        Column.allCases.map { column in
            "  " + Padding.left(column.rawValue, 12) + column.contents
                + (column.reference.map { ", compared with \($0.rawValue)" } ?? "") + "\n"
        }.joined()
    }
}
