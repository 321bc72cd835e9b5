import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking
import Scheduling

/// The manager's work for one task: it collects the body, moves the file, and calls the completion
/// handler with the result.
///
/// ## Concurrency
/// Call from: the delegate queue, which is serial; `shared` from any thread. Lock: one around
/// `shared`. Calls out on: the delegate queue (progress, destination), the processing pool (the
/// serializer), the completion queue (the handler), main (the notification).
final class ManagedTask: @unchecked Sendable {
    // @unchecked because its own variables are touched on the delegate queue alone.

    enum Ending: Sendable {
        case object(URLSessionManager.CompletionHandler?)
        case file(
            URLSessionManager.DownloadCompletionHandler?, URLSessionManager.Destination?)
        /// The body goes to a task that reads it.
        case body(BodyChannel)
    }

    struct Held: Sendable {
        /// Makes the object instead of the manager's serializer; set before the task is resumed.
        var serializer: HTTPResponseSerializer?
        /// The task of Foundation's type that the caller has, retained until all is called.
        var foundationTask: (any AnyObject & Sendable)?
        var isOver = false
    }

    let shared = Locked(Held())

    // MARK: Delegate queue only

    private var ending: Ending
    private var data = Data()
    private var uploadProgress: URLSessionManager.ProgressBlock?
    private var downloadProgress: URLSessionManager.ProgressBlock?
    /// Where a download's file is to be moved, also where that fails.
    private var place: URL?

    init(
        _ ending: Ending, upload: URLSessionManager.ProgressBlock?,
        download: URLSessionManager.ProgressBlock?
    ) {
        self.ending = ending
        uploadProgress = upload
        downloadProgress = download
    }

    // MARK: - Progress

    func didSend(_ task: SessionTask) {
        Self.report(uploadProgress, task.uploadProgress, task)
    }

    func didReceive(_ task: SessionTask) {
        Self.report(downloadProgress, task.downloadProgress, task)
    }

    private static func report(
        _ block: URLSessionManager.ProgressBlock?, _ progress: @autoclosure () -> Progress,
        _ task: SessionTask
    ) {
        guard let block else { return }
        let progress = progress()
        EventRecorder.span(.callback, subject: task.number, text: .progress) { block(progress) }
    }

    // MARK: - Receiving

    /// Discards the body so far, which belongs to an earlier response.
    func begin(_ response: URLResponse) {
        data = Data()
        if case .body(let reader) = ending { reader.begin(response) }
    }

    /// The body goes to a file from now on.
    func becameDownload() {
        data = Data()
        if case .body(let reader) = ending { reader.finish(BodyReadingError.bodyGoesElsewhere) }
    }

    /// - Parameter limit: one byte more fails the task.
    func append(_ more: Data, of task: SessionTask, within limit: Int64) {
        if case .body(let reader) = ending { return reader.put(more) }
        guard Int64(data.count + more.count) <= limit else {
            data = Data()
            let error = LoadLimitError(.bodyInMemory, limit)
            return task.fail(with: error.urlError(task.currentRequest?.url))
        }
        data.append(more)
    }

    // MARK: - Ending

    /// Moves a download's file and posts the result.
    ///
    /// - Parameter chosen: what the manager's block returned.
    func move(
        _ file: URL, of task: SessionDownloadTask, to chosen: URL?, _ settings: SettingsObject
    ) {
        place = chosen ?? destination(of: task, file)
        guard let place else { return }
        do {
            try FileManager.default.moveItem(at: file, to: place)
        } catch {
            NotificationCenter.default.post(
                name: .urlSessionDownloadTaskDidFailToMoveFile, object: task,
                userInfo: (error as NSError).userInfo)
            if !settings.value.reportsFailedMoveAsSuccess { task.failPlacement(with: error) }
            return
        }
        NotificationCenter.default.post(
            name: .urlSessionDownloadTaskDidMoveFileSuccessfully, object: task)
    }

    private func destination(of task: SessionDownloadTask, _ file: URL) -> URL? {
        guard case .file(_, let destination?) = ending, let response = task.response else {
            return nil
        }
        return EventRecorder.span(.callback, subject: task.number, text: .destination) {
            destination(file, response)
        }
    }

    /// Passes the result on.
    ///
    /// - Parameters:
    ///   - isSilent: whether no notification is posted, for a task that was never made.
    /// - Returns: false where that was done before.
    @discardableResult
    func finish(
        _ task: SessionTask, _ settings: SettingsObject, _ error: (any Error)?, isSilent: Bool,
        in session: TaskSession
    ) -> Bool {
        let shared = shared.withLock { shared in
            let old = shared
            shared = Held(isOver: true)
            return old
        }
        if shared.isOver { return false }
        if case .body(let reader) = ending { reader.finish(error) }
        let result = TaskResult(
            task: task, foundationTask: shared.foundationTask, response: task.response, data: data,
            place: error == nil ? place : nil, ending: ending,
            serializer: shared.serializer, isSilent: isSilent,
            responseSerializer: settings.value.responseSerializer, assetPath: place)
        data = Data()
        ending = .object(nil)
        (uploadProgress, downloadProgress) = (nil, nil)
        result.deliver(error, settings)
        return true
    }
}

extension EventText {
    fileprivate static let destination = EventText(fixed: "destination")
}

private struct TaskResult: @unchecked Sendable {
    // @unchecked because it goes from queue to queue, and one at a time uses it.
    let task: SessionTask
    /// The task of Foundation's type that the caller has: the blocks get that one.
    let foundationTask: (any AnyObject & Sendable)?
    let response: URLResponse?
    let data: Data
    let place: URL?
    let ending: ManagedTask.Ending
    let serializer: HTTPResponseSerializer?
    /// Whether no notification is posted, for a task that was never made.
    let isSilent: Bool
    /// The manager's at the end, for the notification.
    let responseSerializer: HTTPResponseSerializer
    /// Where a download's file was to be moved, also after an error.
    let assetPath: URL?
    var object: Any?

    private static let completionGroup = DispatchGroup()

    /// Errors skip serialization.
    func deliver(_ error: (any Error)?, _ settings: SettingsObject) {
        let group = settings.value.completionGroup ?? Self.completionGroup
        let queue = settings.value.completionQueue ?? .main
        group.enter()
        // A body that was read piece by piece is no object.
        if error != nil || isRead {
            queue.recordedAsync {
                callBack(error)
                group.leave()
            }
            return
        }
        let work: @Sendable () -> Void = {
            let (result, error) = serialized(
                by: serializer ?? settings.value.responseSerializer)
            queue.recordedAsync {
                result.callBack(error)
                group.leave()
            }
        }
        if !WorkerPool.processing.perform(work) { work() }
    }

    /// A download's object is its URL; its serializer still validates the response.
    private func serialized(
        by serializer: HTTPResponseSerializer
    ) -> (TaskResult, (any Error)?) {
        EventRecorder.span(
            .serialization, subject: task.number, text: EventText("\(type(of: serializer))")
        ) {
            let start = MonotonicClock.now
            let answer = serializer.responseObject(for: response, data: data)
            task.measure {
                $0.instants.serializationStarted = start
                $0.instants.serialized = MonotonicClock.now
            }
            var result = self
            result.object = place ?? answer.object
            let last = task.metrics?.retryDecisions.last
            return (result, answer.error.map { ResponseSerializationError.noted($0, last) })
        }
    }

    /// Calls the handler, then posts the notification.
    private func callBack(_ error: (any Error)?) {
        task.measure { $0.instants.calledBack = MonotonicClock.now }
        EventRecorder.span(.callback, subject: task.number, text: .completion) {
            switch ending {
            case .object(let handler):
                // nonisolated(unsafe) because it is not changed here; the callers share it, as in the original.
                nonisolated(unsafe) let object = object
                handler?(response, object, error)
            case .file(let handler, _):
                handler?(response, place, error)
            case .body: break
            }
        }
        if isSilent { return }
        DispatchQueue.main.async {
            NotificationCenter.default.post(
                name: .networkingTaskDidComplete, object: task, userInfo: userInfo(error))
        }
    }

    private var isRead: Bool { if case .body = ending { true } else { false } }

    private func userInfo(_ error: (any Error)?) -> [AnyHashable: Any] {
        var info = [AnyHashable: Any](minimumCapacity: 5)
        info[networkingTaskDidCompleteResponseSerializerKey] = responseSerializer
        if let assetPath {
            info[networkingTaskDidCompleteAssetPathKey] = assetPath
        } else if !isRead {
            info[networkingTaskDidCompleteResponseDataKey] = data
        }
        info[networkingTaskDidCompleteSerializedResponseKey] = object
        info[networkingTaskDidCompleteSessionTaskMetricsKey] = task.metrics
        info[networkingTaskDidCompleteErrorKey] = error.map { $0 as NSError }
        return info
    }
}
