import EventRecorder
import Foundation
import FoundationNetworking
import OperationNetworking

/// The delegate's work for one task: it collects the body, moves the file, and passes the result on
/// (UM-04, UM-06, UM-12, UM-13).
///
/// ## Concurrency
/// Call from: the delegate queue, which is serial; `init` from any thread. Lock: none. Calls out
/// on: the delegate queue (progress, destination), the processing pool (the serializer), the
/// completion queue (the handler), main (the notification).
final class SessionTaskDelegate: @unchecked Sendable {
    // @unchecked because the variables are touched on the delegate queue alone.

    /// What is handed over at the end.
    enum Ending: Sendable {
        case object(URLSessionManager.CompletionHandler?)
        case file(
            URLSessionManager.DownloadCompletionHandler?, URLSessionManager.Destination?)
    }

    // MARK: Set once

    let progress: TransferProgress

    // MARK: Delegate queue only

    private var ending: Ending
    private var data = Data()
    /// A download's; set before its task is made.
    var file: DownloadFile?

    init(
        _ ending: Ending, upload: URLSessionManager.ProgressBlock?,
        download: URLSessionManager.ProgressBlock?
    ) {
        self.ending = ending
        progress = TransferProgress(upload: upload, download: download)
        if case .file = ending { file = DownloadFile() }
    }

    // MARK: - Receiving

    /// The request for the missing bytes, after a suspension or with resume data.
    func requestForRest(of request: URLRequest) -> URLRequest {
        file?.begin(request) ?? request
    }

    /// Discards the body so far, which belongs to an earlier response (LX-04).
    ///
    /// - Returns: the size of the part that a download continues.
    func begin(_ response: URLResponse) throws -> Int64 {
        data = Data()
        return try file?.begin(response) ?? 0
    }

    /// - Returns: how many of the bytes belong to the body.
    func append(_ more: Data) throws -> Int64 {
        if let file { return try file.append(more) }
        data.append(more)
        return Int64(more.count)
    }

    // MARK: - Ending

    /// Passes the result on.
    ///
    /// - Returns: the error, which may be one of the file.
    func finish(
        _ task: SessionTask, of manager: URLSessionManager, in session: URLSession?,
        _ error: (any Error)?
    ) -> (any Error)? {
        let settings = manager.current
        let response = task.response
        var error = error
        var place: URL?
        if error == nil, let file, let task = task as? SessionDownloadTask {
            place = destination(of: task, response, settings, session)
            error = place.flatMap { file.move(to: $0, for: task) }
            file.remove()
            if settings.reportsFailedMoveAsSuccess { error = nil }
        }
        var facts: [String: Any] = [
            networkingTaskDidCompleteResponseSerializerKey: settings.responseSerializer
        ]
        if let place {
            facts[networkingTaskDidCompleteAssetPathKey] = place
        } else {
            facts[networkingTaskDidCompleteResponseDataKey] = data
        }
        let result = Result(
            task: task, response: response, data: data, place: error == nil ? place : nil,
            ending: ending, isSilent: session == nil, facts: facts)
        data = Data()
        ending = .object(nil)
        progress.forgetBlocks()
        task.noteEnd(error)
        result.deliver(error, settings)
        return error
    }

    /// The reason why a completed transfer is not the whole file, or nil.
    func shortfall() -> (any Error)? { file?.shortfall() }

    /// The resume data of a failed download; without it the file is removed.
    func resumeData(isWanted: Bool) -> Data? {
        guard let file else { return nil }
        if isWanted, let data = file.resumeData() { return data }
        file.remove()
        return nil
    }

    /// The manager's own block takes precedence (UM-06.8).
    private func destination(
        of task: SessionDownloadTask, _ response: URLResponse?, _ settings: SessionSettings,
        _ session: URLSession?
    ) -> URL? {
        guard let file, let response else { return nil }
        return EventRecorder.span(.callback, subject: task.number, text: Text.destination) {
            if let session, let block = settings.blocks.didFinishDownloading,
                let place = block(session, task, file.url)
            {
                return place
            }
            guard case .file(_, let destination?) = ending else { return nil }
            return destination(file.url, response)
        }
    }
}

/// The result of a task, on its way to the caller.
private struct Result: @unchecked Sendable {
    // @unchecked because it passes from queue to queue and is used on one at a time.
    let task: SessionTask
    let response: URLResponse?
    let data: Data
    let place: URL?
    let ending: SessionTaskDelegate.Ending
    /// Whether no notification is posted, for a task that was never made.
    let isSilent: Bool
    var facts: [String: Any]
    var object: Any?

    private static let completionGroup = DispatchGroup()

    /// Errors skip serialization (UM-12.4).
    func deliver(_ error: (any Error)?, _ settings: SessionSettings) {
        let group = settings.completionGroup ?? Self.completionGroup
        let queue = settings.completionQueue ?? .main
        group.enter()
        if let error {
            queue.recordedAsync {
                tell(error)
                group.leave()
            }
            return
        }
        ProcessingPool.shared.perform {
            let (result, error) = serialized(by: settings.responseSerializer)
            queue.recordedAsync {
                result.tell(error)
                group.leave()
            }
        }
    }

    /// A download's object is its URL; its serializer still validates the response.
    private func serialized(
        by serializer: HTTPResponseSerializer
    ) -> (Result, (any Error)?) {
        EventRecorder.span(
            .serialization, subject: task.number, text: EventText("\(type(of: serializer))")
        ) {
            let answer = serializer.responseObject(for: response, data: data)
            var result = self
            result.object = place ?? answer.object
            if let object = result.object {
                result.facts[networkingTaskDidCompleteSerializedResponseKey] = object
            }
            return (result, answer.error)
        }
    }

    /// The handler, then the notification (UM-13).
    private func tell(_ error: (any Error)?) {
        EventRecorder.span(.callback, subject: task.number, text: .completion) {
            switch ending {
            case .object(let handler):
                // nonisolated(unsafe) because all callers get the same object, as in the original.
                nonisolated(unsafe) let object = object
                handler?(response, object, error)
            case .file(let handler, _):
                handler?(response, place, error)
            }
        }
        if isSilent { return }
        var result = self
        if let error { result.facts[networkingTaskDidCompleteErrorKey] = error as NSError }
        DispatchQueue.main.async { [result] in
            NotificationCenter.default.post(
                name: .networkingTaskDidComplete, object: result.task, userInfo: result.facts)
        }
    }
}
