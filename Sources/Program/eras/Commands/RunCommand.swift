import Foundation
import LoopbackServer

/// `eras run`: fetches the catalogue from an embedded server, checks every hash, ends the process.
struct RunCommand: Sendable {
    private static let limit = 4

    private let server = LoopbackServer()
    private let folder = TemporaryFolder("eras-run")

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
            files.map { server.url($0.path).absoluteString }, directory: folder.path)
        let display = ProgressDisplay()
        let settings = Fetcher.Settings(jobs: Self.limit, advice: .none)
        let fetcher = Fetcher(items, settings: settings) { result, retry in
            display.retrying(result, retry)
        } finished: { result in
            display.finished(result.named(files[result.index].name))
        } completed: { results in
            display.end(results)
            conclude(results, hashes)
        }
        // Installed before the folder exists, so that it is always removed.
        Interruption.handle(beforeEndingAtOnce: folder.remove) {
            display.say("Interrupted.")
            fetcher.cancel()
        }
        try folder.make()
        display.follow { fetcher.progress }
        fetcher.start()
    }

    private func conclude(_ results: [FetchResult], _ hashes: [String]) {
        let report = RunReport(
            files: zip(CatalogueFile.all, zip(results, hashes)).map { file, outcome in
                RunReport.File(
                    name: file.name, result: outcome.0.named(file.name), expectedHash: outcome.1)
            },
            statistics: server.statistics, limit: Self.limit)
        folder.remove()
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

/// The report of `eras run`.
struct RunReport {
    struct File {
        var name: String
        var result: FetchResult
        var expectedHash: String

        var isGood: Bool { result.error == nil && result.sha256 == expectedHash }
    }

    var files: [File]
    var statistics: Statistics
    var limit: Int

    /// Whether every hash is right, the limit was not exceeded, and all callbacks came on one thread.
    var isGood: Bool {
        files.allSatisfy(\.isGood) && statistics.peakInFlight <= limit && threads.count == 1
    }

    private var threads: Set<DeliveryThread> {
        files.reduce(into: []) { $0.formUnion($1.result.threads) }
    }

    var text: String {
        let table = TextTable(
            headings: [
                "file", "bytes", "waited in queue, ms", "on the wire, ms", "thread", "hash",
            ],
            rightAligned: [1, 2, 3],
            rows: files.map { file in
                [
                    file.name, file.result.bytes.map(String.init) ?? "-",
                    Self.whole(file.result.queuedMilliseconds),
                    Self.whole(file.result.wireMilliseconds), file.result.thread ?? "-",
                    file.isGood ? "ok" : file.result.error ?? "DIFFERS",
                ]
            })
        return "\n" + table.text + "\n" + seen + "\n"
    }

    /// The server's counters and the callbacks' threads, in one line.
    private var seen: String {
        let names = Set(threads.map(\.name)).sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        let place =
            threads.count == 1
            ? "all callbacks came on the one thread \(names)"
            : "callbacks came on \(threads.count) threads: \(names)"
        return "At most \(statistics.peakInFlight) requests at once (limit \(limit)), "
            + "\(statistics.requests) requests over "
            + "\(Quantity.count(statistics.connectionsAccepted, "connection")), \(place)."
    }

    private static func whole(_ milliseconds: Double?) -> String {
        milliseconds.map { String(Int($0.rounded())) } ?? "-"
    }
}
