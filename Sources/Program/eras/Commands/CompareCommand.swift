import Foundation
import LoopbackServer
import TimelinePage

/// `eras compare`: runs scenarios in every column, reports the results and ends the process.
struct CompareCommand: Sendable {
    private let options: CompareOptions
    /// The folder of the runs; removed at the end, at an interruption and at a termination.
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("eras-compare-\(UUID().uuidString)", isDirectory: true)

    init(_ options: CompareOptions) {
        self.options = options
    }

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
        let interruption = Interruption(ending: removeFolder) {
            // The children end when their pipes to this process are closed.
            Console.toError("\nInterrupted.\n")
            removeFolder()
            ExitCode.interrupted.leave()
        }
        Lifetime.keep(interruption)
        Lifetime.keep(ground)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        Thread { conclude(ComparisonReport(scenarios: run(ground: ground.baseURL))) }.start()
    }

    private var outputs: OutputFiles {
        OutputFiles([
            "--json": options.json, "--html": options.html,
            // With --check the document is only read.
            "--markdown": options.isCheck ? nil : options.markdown,
        ])
    }

    /// A child may still write into the folder, so the removal is repeated.
    private func removeFolder() {
        for _ in 1...5 where access(folder.path, F_OK) == 0 {
            try? FileManager.default.removeItem(at: folder)
        }
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
                            ground: ground, in: folder))
                }
                if run == options.runs {
                    progress.leave(ComparedScenario(scenario, runs: runs[index]))
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

    // MARK: - Telling

    private func conclude(_ report: ComparisonReport) {
        do {
            if !outputs.useStandardOutput { Console.toOutput(report.text) }
            // Before the folder is removed, which has the recordings.
            let hasChanged = try write(report)
            removeFolder()
            (report.hasFailed || hasChanged ? ExitCode.failed : .success).leave()
        } catch {
            removeFolder()
            Console.complain(ErrorSentence.text(for: error))
            ExitCode.failed.leave()
        }
    }

    /// - Returns: whether the document of --check is out of date.
    private func write(_ report: ComparisonReport) throws -> Bool {
        let machine = Machine.current
        var hasChanged = false
        if let path = options.json { try save(report.json, path) }
        if let path = options.html {
            let document = ComparisonPage.document(report, machine: machine)
            try save(TimelinePage.html(of: document), path)
            if path != NewFile.standardOutput {
                Console.toError("The page: \(URL(fileURLWithPath: path).path)\n")
            }
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
            try save(text, path)
            return false
        }
        let old = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        guard ComparisonDocument.lasting(old) != ComparisonDocument.lasting(text) else {
            return false
        }
        Console.toError("\(path) is out of date: run eras compare --markdown \(path)\n")
        return true
    }

    private func save(_ text: String, _ path: String) throws {
        try NewFile(path).save(Data(text.utf8))
    }
}
