import EventRecorder
import Foundation
import Locking
import TimelinePage

/// Writes fetched files to standard output, each once it is complete, in the order of the list.
///
/// ## Concurrency
/// Call from: one queue. Lock: one around the results that wait. Calls out: none.
final class FetchOutput: Sendable {
    /// The folder of the files, which is removed at the end.
    let folder = TemporaryFolder("eras-fetch")
    private let state = Locked<(next: Int, waiting: [Int: FetchResult])>((0, [:]))

    /// Writes a file, and those that waited for it. Failed ones are left out. A file that cannot be
    /// read is reported, and the output counts as incomplete.
    func add(_ result: FetchResult) {
        state.withLock { $0.waiting[result.index] = result }
        while let ready = state.withLock({ state -> FetchResult? in
            guard let result = state.waiting.removeValue(forKey: state.next) else { return nil }
            state.next += 1
            return result
        }) {
            guard ready.error == nil, let path = ready.path else { continue }
            do {
                try write(path)
            } catch {
                Console.loseOutput(error)
            }
        }
    }

    private func write(_ path: String) throws(DiskError) {
        defer { unlink(path) }
        try InputFile(path).pieces { !Console.hasLostOutput && Console.toOutput(Data($0)) }
    }
}

/// Records a fetch and writes the files that the options name.
struct FetchRecording: Sendable {
    let options: FetchOptions

    private var isWanted: Bool {
        options.trace != nil || options.har != nil || options.html != nil
    }

    /// Checks the output files, also those of cookies and failed URLs, and starts the recording if an option needs it.
    ///
    /// - Parameter items: the downloads; no output may have the path of one of their files.
    /// - Throws: `UsageError` or `DiskError` for a file that cannot be written.
    func begin(_ items: [DownloadItem]) throws {
        let outputs = OutputFiles([
            "--json": options.isJSON ? NewFile.standardOutput : nil,
            "-o": options.isToOutput ? NewFile.standardOutput : nil, "--trace": options.trace,
            "--har": options.har, "--html": options.html,
            "--cookie-jar": options.requests.cookieJar, "--failed": options.failed,
        ])
        let places = items.compactMap(\.target?.place).flatMap { place in
            [place.path, place.part, place.record].map { ($0, "where a download goes") }
        }
        try outputs.check(
            topic: .fetch, places: Dictionary(places, uniquingKeysWith: { first, _ in first }))
        if isWanted { try EventRecorder.start() }
    }

    /// Stops the recording.
    ///
    /// - Returns: the writing of each of its files, also for a fetch that failed or was interrupted; they throw
    ///   `DiskError` or an error of the format.
    func end() -> [() throws -> Void] {
        guard isWanted else { return [] }
        let recording = EventRecorder.stop()
        return [
            { try options.trace.map { try NewFile($0).save(try recording.perfettoTrace()) } },
            { try options.har.map { try NewFile($0).save(try recording.har()) } },
            {
                try options.html.map {
                    let page = TimelinePage.html(
                        of: recording, title: "What eras fetch did",
                        heading: "Operations on one network thread")
                    try NewFile($0).save(page)
                }
            },
        ]
    }
}
