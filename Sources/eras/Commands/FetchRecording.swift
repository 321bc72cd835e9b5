import EventRecorder
import Foundation

/// Writes what happened during a fetch to the files that were asked for.
struct FetchRecording: Sendable {
    let options: FetchOptions

    /// Whether anything is to be recorded.
    private var isWanted: Bool {
        options.trace != nil || options.har != nil || options.html != nil
    }

    /// - Throws: `DiskError` when a file cannot be made: better before the fetch than after it.
    func begin() throws {
        guard isWanted else { return }
        for path in [options.trace, options.har, options.html].compactMap(\.self) {
            try NewFile(path).save(Data())
        }
        try EventRecorder.start()
    }

    /// Writes the files, also of a fetch that failed or was interrupted.
    ///
    /// - Throws: `DiskError`; an error of the format.
    func end() throws {
        guard isWanted else { return }
        let recording = EventRecorder.stop()
        if let path = options.trace { try NewFile(path).save(try recording.perfettoTrace()) }
        if let path = options.har { try NewFile(path).save(try recording.har()) }
        if let path = options.html {
            let document = Timeline.document(
                of: recording, title: "What eras fetch did", command: "eras fetch")
            try NewFile(path).save(Data(TimelinePage.html(of: document).utf8))
        }
    }
}
