/// The options of `eras compare`.
struct CompareOptions: CommandOptions {
    /// The identifiers of scenarios, or with `isOriginal` parts of the names of recorded traces; empty
    /// for all.
    var scenarios: [String] = []
    /// Whether recorded traces are shown and nothing runs.
    var isOriginal = false
    var json: String?
    var html: String?
    var markdown: String?
    var isCheck = false
    var runs = 5
    var isList = false
    var isQuiet = false
    /// The options of a child process.
    var child = ChildOptions()

    static let topic = HelpTopic.compare
    static let help = """
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
    static var table: KeyValuePairs<String, OptionValue<Self>> {
        [
            "--list": .flag(\.isList),
            "--original": .flag(\.isOriginal),
            "--runs": .set(\.runs, .number(1...1_000)),
            "--json": .set(\.json, .text("a file, or - for standard output")),
            "--html": .set(\.html, .text("a file for the page, or -")),
            "--markdown": .set(\.markdown, .text("a file for the document, or -")),
            "--check": .flag(\.isCheck),
            "--quiet": .flag(\.isQuiet),
            "--child": .set(\.child.scenario, .text("a scenario")),
            "--column": .set(\.child.column, ValueKind("a column") { Column(rawValue: $0) }),
            "--base-url": .set(\.child.baseURL, .text("an address")),
            "--ground": .set(\.child.ground, .text("an address")),
            "--folder": .set(\.child.folder, .text("a folder")),
        ]
    }
    static var words: [String] { ScenarioList.all.map(\.id) }

    /// A line for each column.
    private static var columns: String {
        Column.allCases.map { column in
            "  " + Padding.left(column.rawValue, 12) + column.summary
                + (column.reference.map { ", compared with \($0.rawValue)" } ?? "") + "\n"
        }.joined()
    }

    mutating func take(_ operand: String, _ reader: ArgumentReader) { scenarios.append(operand) }

    func command(_ reader: ArgumentReader) throws(UsageError) -> Command {
        if !child.scenario.isEmpty { return .compareChild(child) }
        if isOriginal {
            guard json == nil, markdown == nil, !isCheck, runs == Self().runs else {
                throw reader.usage("--original goes with --list, --html and --quiet only.")
            }
            return .original(self)
        }
        for name in scenarios where ScenarioList.scenario(name) == nil {
            let nearest = Likeness.nearest(to: name, among: Self.words)
            let hint = nearest.map { " did you mean \($0)?" } ?? " eras compare --list names them."
            throw reader.usage("There is no scenario \"\(name)\";\(hint)")
        }
        if isCheck, markdown == nil { throw reader.usage("--check needs --markdown FILE.") }
        if isCheck, markdown == NewFile.standardOutput {
            throw reader.usage("--check needs a file to look at, not standard output.")
        }
        return .compare(self)
    }

    /// The scenarios to run, in the order of the list.
    var chosen: [any Scenario] {
        scenarios.isEmpty
            ? ScenarioList.all : ScenarioList.all.filter { scenarios.contains($0.id) }
    }
}

/// The options of a child process of `eras compare`; the help does not list them.
struct ChildOptions: Equatable {
    var scenario = ""
    var column: Column?
    var baseURL = ""
    /// The URL for the request before the measurement.
    var ground = ""
    /// The folder of the scenario's files and, in `recordingName`, of the recording.
    var folder = ""

    static let recordingName = "recording.jsonl"

    var arguments: [String] {
        [
            "compare", "--child", scenario, "--column", column?.rawValue ?? "", "--base-url",
            baseURL, "--ground", ground, "--folder", folder,
        ]
    }
}

/// Finds the known name that is most like a mistyped one.
enum Likeness {
    /// The known name with the least distance; nil where that is more than a third of its letters.
    static func nearest(to name: String, among names: [String]) -> String? {
        let nearest = names.map { (name: $0, steps: steps(from: name, to: $0)) }
            .min { $0.steps < $1.steps }
        guard let nearest, nearest.steps * 3 <= nearest.name.count else { return nil }
        return nearest.name
    }

    /// The Levenshtein distance.
    static func steps(from old: String, to new: String) -> Int {
        let new = Array(new)
        var line = Array(0...new.count)
        for (index, letter) in old.enumerated() {
            var diagonal = index
            line[0] = index + 1
            for column in new.indices {
                let exchanged = diagonal + (new[column] == letter ? 0 : 1)
                diagonal = line[column + 1]
                line[column + 1] = min(exchanged, diagonal + 1, line[column] + 1)
            }
        }
        return line[new.count]
    }
}
