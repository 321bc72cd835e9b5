import EventRecorder
import Foundation

/// The child process: runs one scenario in one column, reports on standard output and ends.
struct ChildCommand: Sendable {
    private let options: ChildOptions

    init(_ options: ChildOptions) {
        self.options = options
    }

    /// Does not return: the main thread runs its run loop, as in an application.
    ///
    /// - Throws: `UsageError` where the scenario, the column or an address is missing.
    func begin() throws {
        guard let scenario = ScenarioList.scenario(options.scenario), let column = options.column,
            let baseURL = URL(string: options.baseURL), let ground = URL(string: options.ground),
            !options.folder.isEmpty
        else {
            throw UsageError(sentence: "A child lacks an option.", topic: .compare)
        }
        let folder = URL(fileURLWithPath: options.folder, isDirectory: true)
        let control = PipeControl()
        DispatchQueue.main.async {
            FirstUse.spend(column, at: ground) {
                Self.run(scenario, column, baseURL, folder, control)
            }
        }
        RunLoop.main.run()
    }

    private static func run(
        _ scenario: any Scenario, _ column: Column, _ baseURL: URL, _ folder: URL,
        _ control: PipeControl
    ) {
        do {
            try EventRecorder.start()
            let began = ProcessUsage.monotonicNanoseconds
            let start = ProcessUsage()
            let stage = Stage(
                baseURL: baseURL, folder: folder, control: control
            ) { stage in
                let end = ProcessUsage()
                // Later, because the last callback still runs, and the recording shall have its end.
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) {
                    var report = ChildReport(stage.recorded)
                    report.began = began
                    report.wallMilliseconds = end.wall(since: start)
                    report.processorMilliseconds = end.processor(since: start)
                    save(EventRecorder.stop(), in: folder)
                    control.send(.report(report))
                    ExitCode.success.leave()
                }
            }
            try scenario.run(column, on: stage)
        } catch {
            control.send(.report(ChildReport(error: ErrorSentence.text(for: error))))
            ExitCode.failed.leave()
        }
    }

    /// Writes the recording, for the page.
    private static func save(_ recording: Recording, in folder: URL) {
        let file = folder.appendingPathComponent(ChildOptions.recordingName)
        try? recording.jsonLines().write(to: file)
    }
}
