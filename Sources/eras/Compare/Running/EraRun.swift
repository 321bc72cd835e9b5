import EventRecorder
import Foundation
import LoopbackServer

/// What came of one run of a scenario in one era.
struct EraRun: Sendable {
    var outcomes: [Outcome] = []
    /// In the order in which they came.
    var callbacks: [Stage.Callback] = []
    /// Requests whose head the server had.
    var requests = 0
    /// Connections the server accepted.
    var connections = 0
    /// The most threads of the process that were counted at a callback.
    var threads = 0
    var wallMilliseconds = 0.0
    var processorMilliseconds = 0.0
    /// When the scenario was called, nanoseconds of the monotonic clock.
    var began: UInt64 = 0
    /// Both processes' events.
    var recording: Recording?
    /// Why there is no result.
    var failure: String?
}

extension EraRun {
    /// Runs a scenario in a process of its own against a server of its own.
    ///
    /// - Parameter place: a folder that is there, for the run's own folder.
    init(
        _ scenario: any Scenario, _ era: Era, executable: URL,
        in place: URL = FileManager.default.temporaryDirectory, limit: Double = 30
    ) {
        let server = LoopbackServer(routes: scenario.routes)
        let folder = place.appendingPathComponent(
            "eras-run-\(UUID().uuidString)", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            // No folder above it: what was removed at an interruption stays away.
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try EventRecorder.start()
            scenario.prepare(server)
            try server.start()
        } catch {
            _ = EventRecorder.stop()
            failure = ErrorSentence.text(for: error)
            return
        }
        let child = ChildProcess(
            executable: executable,
            options: ChildOptions(
                scenario: scenario.id, era: era, baseURL: server.baseURL.absoluteString,
                folder: folder.path),
            server: server, limit: limit)
        switch child.run() {
        case .report(let report): take(report)
        case .failed(let reason): failure = reason
        }
        server.stop()
        outcomes += scenario.witness(server)
        requests = server.statistics.requests
        connections = server.statistics.connectionsAccepted
        recording = Self.recording(of: folder, merged: EventRecorder.stop())
    }

    private mutating func take(_ report: ChildReport) {
        outcomes = report.outcomes
        callbacks = report.callbacks
        threads = report.peakThreads
        wallMilliseconds = report.wallMilliseconds
        processorMilliseconds = report.processorMilliseconds
        began = report.began
    }

    private static func recording(of folder: URL, merged server: Recording) -> Recording? {
        let file = folder.appendingPathComponent(ChildOptions.recordingName)
        guard let data = try? Data(contentsOf: file) else { return nil }
        return try? Recording(jsonLines: data).merging(server)
    }
}
