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
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
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
            display.end(ProgressText.summary(results, seconds: display.seconds))
            conclude(results, hashes)
        }
        let interruption = Interruption {
            display.say("Interrupted.")
            fetcher.cancel()
        }
        display.follow { fetcher.progress }
        fetcher.start()
        Lifetime.keep(interruption)
    }

    private func conclude(_ results: [FetchResult], _ hashes: [String]) {
        let report = RunReport(
            files: zip(CatalogueFile.all, zip(results, hashes)).map { file, outcome in
                RunReport.File(
                    name: file.name, result: outcome.0.named(file.name), expectedHash: outcome.1)
            },
            statistics: server.statistics, limit: Self.limit)
        try? FileManager.default.removeItem(atPath: directory)
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
