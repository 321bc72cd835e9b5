import Foundation
import LoopbackServer
import RecordedTraces
import TimelinePage

/// `eras compare`: runs scenarios in every column, reports the results and ends the process.
struct CompareCommand: Sendable {
    let options: CompareOptions
    /// The folder of the runs; removed at the end, at an interruption and at a termination.
    private let folder = TemporaryFolder("eras-compare")

    /// - Throws: `UsageError` or `DiskError` where an output cannot be written, which is checked before
    ///   the first scenario.
    func begin() throws {
        if options.isList {
            Console.toOutput(Self.list)
            ExitCode.success.leave()
        }
        try outputs.check(topic: .compare)
        Console.outliveReaders()
        let ground = LoopbackServer()
        try ground.start()
        // Installed before the folder exists, so that it is always removed.
        Interruption.handle(beforeEndingAtOnce: folder.remove) {
            // The children end when their pipes to this process are closed.
            Console.toError("\nInterrupted.\n")
            folder.remove()
            ExitCode.interrupted.leave()
        }
        try folder.make()
        Thread {
            let scenarios = withExtendedLifetime(ground) { run(ground: ground.baseURL) }
            conclude(ComparisonReport(scenarios: scenarios))
        }.start()
    }

    private var outputs: OutputFiles {
        OutputFiles([
            "--json": options.json, "--html": options.html,
            // With --check the document is only read.
            "--markdown": options.isCheck ? nil : options.markdown,
        ])
    }

    static var list: String {
        TextTable(
            headings: ["scenario", "question"],
            rows: ScenarioList.all.map { [$0.id, $0.question] }
        ).text
    }

    // MARK: - Running

    /// Runs all scenarios once, then all again, and so on: so a time in which the machine is busy does
    /// not fall on one scenario. Another column is the first in each round.
    private func run(ground: URL) -> [ComparedScenario] {
        let progress = CompareProgress(isQuiet: options.isQuiet)
        let chosen = options.chosen
        var runs: [[Column: [ColumnRun]]] = Array(repeating: [:], count: chosen.count)
        for run in 1...options.runs {
            for (index, scenario) in chosen.enumerated() {
                for column in Self.turn(run, of: scenario.columns) {
                    progress.show(index + 1, of: chosen.count, scenario, column, run, options.runs)
                    runs[index][column, default: []].append(
                        ColumnRun(
                            scenario, column, executable: ChildProcess.ownExecutable,
                            ground: ground, in: folder.url))
                }
                if run == options.runs {
                    progress.finished(ComparedScenario(scenario, runs: runs[index]))
                }
            }
        }
        progress.end()
        return zip(chosen, runs).map { ComparedScenario($0, runs: $1) }
    }

    /// The columns in the order of a round.
    ///
    /// - Parameter run: the round's number, from 1 on.
    static func turn(_ run: Int, of columns: [Column]) -> [Column] {
        let first = (run - 1) % max(columns.count, 1)
        return Array(columns[first...] + columns[..<first])
    }

    // MARK: - Reporting

    private func conclude(_ report: ComparisonReport) {
        do {
            if !outputs.useStandardOutput { Console.toOutput(report.text) }
            // Before the folder is removed, which has the recordings.
            let hasChanged = try write(report)
            folder.remove()
            (report.hasFailed || hasChanged ? ExitCode.failed : .success).leave()
        } catch {
            folder.remove()
            ExitCode.leave(reporting: error)
        }
    }

    /// - Returns: whether the document of --check is out of date.
    private func write(_ report: ComparisonReport) throws -> Bool {
        let machine = Machine.current
        var hasChanged = false
        if let path = options.json { try NewFile(path).save(report.json) }
        if let path = options.html {
            let document = ComparisonPage.document(report, machine: machine)
            try NewFile(path).savePage(TimelinePage.html(of: document))
        }
        if let path = options.markdown {
            let document = ComparisonDocument(report: report, machine: machine) { name in
                ComparisonDocument.sources.lazy.compactMap {
                    try? String(contentsOfFile: "\($0)/\(name).swift", encoding: .utf8)
                }.first
            }
            hasChanged = try update(path, document.text)
        }
        return hasChanged
    }

    private func update(_ path: String, _ text: String) throws -> Bool {
        guard options.isCheck else {
            try NewFile(path).save(text)
            return false
        }
        let old = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        guard ComparisonDocument.lasting(old) != ComparisonDocument.lasting(text) else {
            return false
        }
        Console.toError("\(path) is out of date: run eras compare --markdown \(path)\n")
        return true
    }
}

/// The command `eras compare --original`, which shows the traces that were recorded of the original libraries.
struct OriginalCommand {
    let options: CompareOptions

    /// - Throws: `UsageError` for a text that no trace has in its name, `DiskError` if the page cannot be written.
    func begin() throws {
        Console.outliveReaders()
        let outputs = OutputFiles(["--html": options.html])
        try outputs.check(topic: .compare)
        let traces = try Self.traces(named: options.scenarios)
        let text = OriginalText(traces: traces)
        if options.isList {
            Console.toOutput(text.list)
        } else if !outputs.useStandardOutput {
            // With a page only a summary, because the page has the traces.
            Console.toOutput(options.html == nil ? text.text : text.summary)
        }
        if let path = options.html {
            try NewFile(path).savePage(OriginalPage(traces: traces).html, isQuiet: options.isQuiet)
        }
        ExitCode.success.leave()
    }

    /// Returns the traces whose names contain at least one of the given texts, or all traces if there are no texts.
    ///
    /// - Throws: `UsageError` for a text that no name contains.
    static func traces(named names: [String]) throws -> [RecordedTrace] {
        let all = try RecordedTrace.all()
        for name in names where !all.contains(where: { $0.id.contains(name) }) {
            throw UsageError(
                sentence: "No recorded trace has \"\(name)\" in its name; "
                    + "\"eras compare --original --list\" names them.",
                topic: .compare)
        }
        return all.filter { trace in
            names.isEmpty || names.contains { trace.id.contains($0) }
        }
    }
}

/// Shows the progress of a comparison on standard error: one line that is redrawn on a terminal, and
/// elsewhere a line for each scenario.
struct CompareProgress: Sendable {
    let isQuiet: Bool
    private let isTerminal = Console.isErrorATerminal

    func show(
        _ number: Int, of count: Int, _ scenario: any Scenario, _ column: Column, _ run: Int,
        _ runs: Int
    ) {
        guard isTerminal, !isQuiet else { return }
        let times = runs > 1 ? ", run \(run) of \(runs)" : ""
        let line = "\(number) of \(count)  \(scenario.id), \(column.title)\(times)"
        Console.toError("\r\u{1B}[K" + line.prefix(Console.size.columns - 1))
    }

    func finished(_ compared: ComparedScenario) {
        guard !isTerminal, !isQuiet else { return }
        Console.toError("\(compared.scenario.id): \(compared.verdict.rawValue)\n")
    }

    func end() {
        if isTerminal, !isQuiet { Console.toError("\r\u{1B}[K") }
    }
}
