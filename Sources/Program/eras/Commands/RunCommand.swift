import Foundation
import LoopbackServer

/// `eras run`: fetches the catalogue from an embedded server, checks every hash, ends the process.
struct RunCommand: Sendable {
    private static let limit = 4

    private let server = LoopbackServer()
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("eras-run-\(UUID().uuidString)").path

    func begin() throws {
        let files = CatalogueFile.all
        let hashes = try files.map { try $0.expectedHash() }
        files.forEach { $0.add(to: server) }
        try server.start()
        Console.outliveReaders()
        Console.toError(
            "Fetching \(files.count) files from \(server.baseURL.absoluteString), "
                + "\(Self.limit) at once.\n")
        let items = DownloadItem.list(
            files.map { server.url($0.path).absoluteString }, directory: directory)
        let display = ProgressDisplay(Console.isErrorATerminal ? .terminal : .plain)
        let fetcher = Fetcher(items, settings: .init(jobs: Self.limit)) { result, retry in
            display.retrying(result, retry)
        } finished: { result in
            display.finished(result.named(files[result.index].name))
        } completed: { results in
            display.end(
                ProgressText.summary(results, seconds: display.seconds, keepsParts: false))
            conclude(results, hashes)
        }
        // Installed before the folder exists, so that it is always removed.
        let interruption = Interruption(ending: removeDirectory) {
            display.say("Interrupted.")
            fetcher.cancel()
        }
        Lifetime.keep(interruption)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        display.follow { fetcher.progress }
        fetcher.start()
    }

    /// Repeats the removal, because a download may still write into the folder.
    private func removeDirectory() {
        for _ in 1...5 where access(directory, F_OK) == 0 {
            try? FileManager.default.removeItem(atPath: directory)
        }
    }

    private func conclude(_ results: [FetchResult], _ hashes: [String]) {
        let report = RunReport(
            files: zip(CatalogueFile.all, zip(results, hashes)).map { file, outcome in
                RunReport.File(
                    name: file.name, result: outcome.0.named(file.name), expectedHash: outcome.1)
            },
            statistics: server.statistics, limit: Self.limit)
        removeDirectory()
        server.stop()
        Console.toOutput(report.text)
        if results.contains(where: \.isInterrupted) { ExitCode.interrupted.leave() }
        (report.isGood ? ExitCode.success : .failed).leave()
    }
}

extension FetchResult {
    /// The result with a short name for the report.
    fileprivate func named(_ name: String) -> FetchResult {
        var result = self
        result.path = name
        return result
    }
}
