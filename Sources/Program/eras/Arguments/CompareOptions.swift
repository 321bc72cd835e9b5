/// The options of `eras compare`.
struct CompareOptions: Equatable {
    /// The identifiers of scenarios; none: all.
    var scenarios: [String] = []
    /// Where the rows go as JSON; "-" is standard output.
    var json: String?
    /// Where the page goes; "-" is standard output.
    var html: String?
    /// Where the document goes; "-" is standard output.
    var markdown: String?
    /// Whether the document is only compared with the existing file.
    var isCheck = false
    /// How often each scenario runs in each column.
    var runs = 5
    var isList = false
    var isQuiet = false

    static func command(_ arguments: ArraySlice<String>) throws(UsageError) -> Command {
        var reader = ArgumentReader(arguments, topic: .compare)
        var options = CompareOptions()
        var child = ChildOptions()
        while let piece = try reader.next() {
            switch piece {
            case .operand(let id): options.scenarios.append(try known(id, reader))
            case .option("--help"), .option("-h"): return .help(.compare)
            case .option("--child"): child.scenario = try reader.value("a scenario")
            case .option("--column"): child.column = Column(rawValue: try reader.value("a column"))
            case .option("--base-url"): child.baseURL = try reader.value("an address")
            case .option("--ground"): child.ground = try reader.value("an address")
            case .option("--folder"): child.folder = try reader.value("a folder")
            case .option(let name): try options.take(name, &reader)
            }
        }
        if !child.scenario.isEmpty { return .compareChild(child) }
        if options.isCheck, options.markdown == nil {
            throw reader.usage("--check needs --markdown FILE.")
        }
        if options.isCheck, options.markdown == NewFile.standardOutput {
            throw reader.usage("--check needs a file to look at, not standard output.")
        }
        return .compare(options)
    }

    private mutating func take(_ name: String, _ reader: inout ArgumentReader) throws(UsageError) {
        switch name {
        case "--json": json = try reader.value("a file, or - for standard output")
        case "--html": html = try reader.value("a file for the page, or -")
        case "--markdown": markdown = try reader.value("a file for the document, or -")
        case "--check": isCheck = true
        case "--runs": runs = try reader.number(in: 1...1_000)
        case "--list": isList = true
        case "-q", "--quiet": isQuiet = true
        default: throw reader.unknown(name)
        }
    }

    private static func known(
        _ id: String, _ reader: ArgumentReader
    ) throws(UsageError) -> String {
        guard ScenarioList.scenario(id) != nil else {
            let nearest = Likeness.nearest(to: id, among: ScenarioList.all.map(\.id))
            let hint = nearest.map { " did you mean \($0)?" } ?? " eras compare --list names them."
            throw reader.usage("There is no scenario \"\(id)\";\(hint)")
        }
        return id
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
    /// The server for the request before the clock starts.
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
