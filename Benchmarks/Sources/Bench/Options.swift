import Foundation

/// What the caller wants measured.
struct Options {
    /// Workloads by name; empty: all.
    var workloads: Set<String> = []
    /// Rivals by name; empty: all. The C loop is always there.
    var rivals: Set<String> = []
    var rounds = 5
    /// Sizes that only show whether everything works.
    var isQuick = false
    /// Whether to compare with the thresholds, and to fail where one is missed.
    var checks = false
    /// Whether to write new thresholds.
    var writesThresholds = false
    /// Where the reports go, and where the thresholds are.
    var folder = URL(filePath: "Benchmarks")
    /// Whether to start the servers only, for a client run by hand.
    var onlyServes = false
    var wantsHelp = false

    static let help = """
        usage: bench [--workloads a,b] [--rivals a,b] [--rounds n] [--quick] [--check]
                     [--write-thresholds] [--serve] [--folder Benchmarks]

        Measures each rival beside a loop in C on libcurl, round by round, and writes report.json,
        report.html and report.md into the folder. --check ends with 1 where a ratio of
        Thresholds/ is missed; --quick takes tiny sizes, whose numbers mean nothing; --serve
        starts the servers and says how to run a client by hand, under a profiler for instance.

        workloads: \(Workload.all.map(\.name).joined(separator: ", "))
        rivals: \(RivalName.allCases.map(\.rawValue).joined(separator: ", "))
        """

    init(_ arguments: ArraySlice<String>) throws(BenchError) {
        var rest = arguments
        while let argument = rest.popFirst() {
            switch argument {
            case "--workloads": workloads = try Self.names(argument, &rest)
            case "--rivals": rivals = try Self.names(argument, &rest)
            case "--rounds":
                guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else {
                    throw BenchError("--rounds takes a number from 1 on")
                }
                rounds = number
            case "--quick": isQuick = true
            case "--check": checks = true
            case "--write-thresholds": writesThresholds = true
            case "--serve": onlyServes = true
            case "--folder": folder = URL(filePath: rest.popFirst() ?? "Benchmarks")
            case "--help", "-h": wantsHelp = true
            default: throw BenchError("does not know \"\(argument)\"; try --help")
            }
        }
        try Self.check(workloads, among: Workload.all.map(\.name), "workload")
        try Self.check(rivals, among: RivalName.allCases.map(\.rawValue), "rival")
    }

    private static func names(
        _ option: String, _ rest: inout ArraySlice<String>
    ) throws(BenchError) -> Set<String> {
        guard let list = rest.popFirst() else { throw BenchError("\(option) takes names") }
        return Set(list.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init))
    }

    private static func check(
        _ names: Set<String>, among known: [String], _ what: String
    ) throws(BenchError) {
        for name in names.sorted() where !known.contains(name) {
            throw BenchError(
                "no \(what) is called \"\(name)\"; there are \(known.joined(separator: ", "))")
        }
    }
}

/// What keeps the benchmark from running, with what to do about it.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Prints a line at once, also into a pipe.
func say(_ text: String) {
    print(text)
    fflush(nil)
}
