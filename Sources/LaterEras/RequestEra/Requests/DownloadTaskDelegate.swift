import EventRecorder
import Foundation
import FoundationNetworking
import Locking
import SessionTasks

/// Puts the file of a download where the destination closure says.
///
/// A file that is left where the session wrote it would be removed before a handler could read it.
/// So it is renamed, and stays; one that could not be moved is removed with the request.
///
/// ## Concurrency
/// As `TaskDelegate`. Files are moved on the session's delegate queue, without a lock.
final class DownloadTaskDelegate: TaskDelegate, @unchecked Sendable {
    // @unchecked because what is added is constant.
    let destination: DownloadRequest.DownloadFileDestination?

    init(
        _ state: Locked<RequestState>, _ destination: DownloadRequest.DownloadFileDestination?
    ) {
        self.destination = destination
        super.init(state)
    }

    override var data: Data? { state.withLock { $0.resumeData } }

    var fileURL: URL? { state.withLock { $0.destinationURL ?? $0.temporaryURL } }

    override func finished(_ task: SessionDownloadTask, at location: URL) {
        state.withLock { $0.temporaryURL = location }
        if let destination, let response = task.response as? HTTPURLResponse {
            let (url, options) = EventRecorder.span(
                .callback, subject: task.number, text: RequestText.destination
            ) { destination(location, response) }
            let ownFile = state.withLock { state in
                state.destinationURL = url
                return state.ownFile
            }
            do {
                try Self.move(location, to: url, options, replacing: ownFile)
                state.withLock { $0.ownFile = url }
            } catch {
                state.withLock { $0.error = $0.error ?? error }
            }
        }
        keep(location)
    }

    /// - Parameter ownFile: the file of an earlier attempt of this request, which may be replaced.
    private static func move(
        _ location: URL, to url: URL, _ options: DownloadRequest.DownloadOptions,
        replacing ownFile: URL?
    ) throws {
        let files = FileManager.default
        let mayRemove = options.contains(.removePreviousFile) || url.path == ownFile?.path
        if mayRemove, files.fileExists(atPath: url.path) {
            // The file is there already: the download itself would be removed.
            if Self.isSame(url, location) { return }
            try files.removeItem(at: url)
        }
        if options.contains(.createIntermediateDirectories) {
            try files.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        try files.moveItem(at: location, to: url)
    }

    /// Whether two URLs name one file; links are not followed.
    private static func isSame(_ one: URL, _ other: URL) -> Bool {
        let facts = [one, other].map { url -> [NSNumber?] in
            let all = try? FileManager.default.attributesOfItem(atPath: url.path)
            return [all?[.systemFileNumber], all?[.systemNumber]].map { $0 as? NSNumber }
        }
        return !facts[0].contains(nil) && facts[0] == facts[1]
    }

    /// Renames the file that is still where the session wrote it.
    private func keep(_ location: URL) {
        let kept = location.deletingLastPathComponent()
            .appendingPathComponent("alamofire.\(UUID().uuidString).tmp")
        let destination = state.withLock { $0.destinationURL }
        let isInPlace = destination.map { Self.isSame($0, location) } ?? false
        guard rename(location.path, kept.path) == 0 else { return }
        state.withLock { state in
            state.temporaryURL = kept
            // The destination closure may leave it where it is.
            if isInPlace {
                state.destinationURL = kept
            } else if destination != nil {
                state.ownedFile = kept
            }
        }
    }
}
