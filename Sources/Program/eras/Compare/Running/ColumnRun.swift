import EventRecorder
import Foundation
import LoopbackServer

/// The result of one run of a scenario with the API of one column.
struct ColumnRun: Sendable {
    var outcomes: [Outcome] = []
    /// In the order of the calls.
    var callbacks: [Stage.Callback] = []
    /// Requests whose head was complete at the server.
    var requests = 0
    var connections = 0
    /// The most threads that the process had, counted at the start and at each callback.
    var threads = 0
    var wallMilliseconds = 0.0
    var processorMilliseconds = 0.0
    /// When the scenario was called, in nanoseconds of the monotonic clock.
    var began: UInt64 = 0
    /// The file with both processes' events, as JSON lines.
    var recordingFile: URL?
    /// The reason why there is no result.
    var failure: String?
}

extension ColumnRun {
    /// Runs a scenario in a process of its own against a server of its own.
    ///
    /// - Parameters:
    ///   - ground: a server for the request before the measurement.
    ///   - place: an existing folder, for the run's folder and recording.
    init(
        _ scenario: any Scenario, _ column: Column, executable: URL, ground: URL,
        in place: URL = FileManager.default.temporaryDirectory, limit: Double = 120
    ) {
        let folder = TemporaryFolder("eras-run", in: place)
        defer { folder.remove() }
        let server: LoopbackServer
        do {
            // Not its parents: if Ctrl-C has removed the parent folder, it must stay removed.
            try folder.make()
            server = try scenario.server(in: folder.url)
            try EventRecorder.start()
            for gate in scenario.gates { server.hold(gate) }
            scenario.prepare(server)
            try server.start()
        } catch {
            _ = EventRecorder.stop()
            failure = ErrorSentence.text(for: error)
            return
        }
        let child = ScenarioProcess(
            executable: executable,
            options: ChildOptions(
                scenario: scenario.id, column: column, baseURL: server.baseURL.absoluteString,
                ground: ground.absoluteString, folder: folder.path),
            server: server, limit: limit)
        switch child.run() {
        case .report(let report): take(report)
        case .failed(let reason): failure = reason
        }
        // The child's last bytes may not have arrived; its connections close when it ends.
        _ = server.waitUntil(timeout: 60) { statistics, _ in statistics.connectionsOpen == 0 }
        server.stop()
        outcomes += scenario.serverOutcomes(server)
        outcomes.append(Outcome("requests", scenario.requests(server.requests, in: column)))
        requests = server.statistics.requests
        connections = server.statistics.connectionsAccepted
        recordingFile = Self.save(EventRecorder.stop(), mergedWith: folder.url, in: place)
    }

    private mutating func take(_ report: ChildReport) {
        outcomes = report.outcomes
        callbacks = report.callbacks
        threads = report.peakThreads
        wallMilliseconds = report.wallMilliseconds
        processorMilliseconds = report.processorMilliseconds
        began = report.began
    }

    /// Writes the events to a file: those of all runs would fill the memory, and only one run is shown.
    private static func save(
        _ server: Recording, mergedWith folder: URL, in place: URL
    ) -> URL? {
        let file = folder.appendingPathComponent(ChildOptions.recordingName)
        let merged = place.appendingPathComponent(folder.lastPathComponent + ".jsonl")
        guard let data = try? Data(contentsOf: file),
            let recording = try? Recording(jsonLines: data).merging(server),
            (try? recording.jsonLines().write(to: merged)) != nil
        else { return nil }
        return merged
    }

    /// Both processes' events, as long as the comparison's folder exists.
    var recording: Recording? {
        recordingFile.flatMap { try? Recording(jsonLines: Data(contentsOf: $0)) }
    }
}
