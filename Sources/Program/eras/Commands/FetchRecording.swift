import EventRecorder
import Foundation
import TimelinePage

/// Records a fetch and writes the files that the options name.
struct FetchRecording: Sendable {
    let options: FetchOptions

    /// Whether an option needs a recording.
    private var isWanted: Bool {
        options.trace != nil || options.har != nil || options.html != nil
    }

    /// Checks the output files, also the one for cookies, and starts the recording.
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

    /// Writes the files, also for a fetch that failed or was interrupted.
    ///
    /// - Throws: `DiskError`; an error of the format.
    func end() throws {
        guard isWanted else { return }
        let recording = EventRecorder.stop()
        if let path = options.trace { try NewFile(path).save(try recording.perfettoTrace()) }
        if let path = options.har { try NewFile(path).save(try recording.har()) }
        if let path = options.html {
            let page = TimelinePage.html(
                of: recording, title: "What eras fetch did",
                heading: "Operations on one network thread")
            try NewFile(path).save(Data(page.utf8))
        }
    }
}
