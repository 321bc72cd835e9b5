import EventRecorder
import Foundation

/// One scenario in one era, in a process of its own: reports on standard output and ends.
struct ChildCommand: Sendable {
    private let options: ChildOptions

    init(_ options: ChildOptions) {
        self.options = options
    }

    /// Does not return: the main thread runs its loop, as an application's would.
    ///
    /// - Throws: `UsageError` when the scenario, the era or the address is none.
    func begin() throws {
        guard let scenario = ScenarioList.scenario(options.scenario), let era = options.era,
            let baseURL = URL(string: options.baseURL), let ground = URL(string: options.ground),
            !options.folder.isEmpty
        else {
            throw UsageError(sentence: "A child lacks an option.", topic: .compare)
        }
        let folder = URL(fileURLWithPath: options.folder, isDirectory: true)
        let control = PipeControl()
        DispatchQueue.main.async {
            FirstUse.spend(era, at: ground) { Self.run(scenario, era, baseURL, folder, control) }
        }
        RunLoop.main.run()
    }

    private static func run(
        _ scenario: any Scenario, _ era: Era, _ baseURL: URL, _ folder: URL, _ control: PipeControl
    ) {
        do {
            try EventRecorder.start()
            let began = ProcessUsage.monotonicNanoseconds
            let start = ProcessUsage()
            let stage = Stage(baseURL: baseURL, folder: folder, control: control) { stage in
                let end = ProcessUsage()
                // The last callback goes on, and its span belongs to the recording.
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
            try scenario.run(era, on: stage)
        } catch {
            control.send(.report(ChildReport(error: ErrorSentence.text(for: error))))
            ExitCode.failed.leave()
        }
    }

    /// What cannot be written is missing from the page.
    private static func save(_ recording: Recording, in folder: URL) {
        let file = folder.appendingPathComponent(ChildOptions.recordingName)
        try? recording.jsonLines().write(to: file)
    }
}
