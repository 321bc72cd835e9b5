import EventRecorder
import Foundation
import FoundationNetworking
import Locking
import OperationNetworking
import SessionTasks

/// What a request's tasks are made from: the first one and those of its retries.
enum RequestSource: Sendable {
    case data(URLRequest)
    case download(URLRequest)
    case resumedDownload(Data)
    case uploadData(Data, URLRequest)
    case uploadFile(URL, URLRequest)
    case uploadStream(BodyOnce, URLRequest)

    /// The request before an adapter saw it.
    var request: URLRequest? {
        switch self {
        case .data(let request), .download(let request), .uploadData(_, let request),
            .uploadFile(_, let request), .uploadStream(_, let request):
            request
        case .resumedDownload: nil
        }
    }

    var stream: BodyOnce? {
        if case .uploadStream(let stream, _) = self { return stream }
        return nil
    }

    /// What the next attempt is made from. Resume data can be used once. So a download that
    /// continued one continues what the attempt before left, and begins again where that is
    /// nothing.
    func next(after task: SessionTask?, _ resumeData: Data?) -> RequestSource {
        guard case .resumedDownload = self else { return self }
        if let resumeData { return .resumedDownload(resumeData) }
        // A task that could not be made has not used it, or could not.
        guard let task, task.taskIdentifier > 0, let request = task.originalRequest else {
            return self
        }
        return .download(request)
    }

    var recordedText: EventText {
        request.map { EventText(method: $0.httpMethod, url: $0.url) } ?? .none
    }

    /// A suspended task.
    ///
    /// - Parameters:
    ///   - adapt: changes the request; it is not asked about resume data.
    ///   - givesStreams: whether the program gives a new stream for each attempt.
    ///   - isAgain: whether there was a task before.
    ///   - handler: called with the task before other code has it; returns what handles the task.
    /// - Throws: what the adapter throws; `AFError` for a stream that was read before.
    func makeTask(
        in session: TaskSession, givesStreams: Bool, isAgain: Bool,
        handler: TaskSession.MakesHandler, _ adapt: (URLRequest) throws -> URLRequest
    ) throws -> SessionTask {
        /// What a task before has left of the request's own stream is not the body.
        func unread(_ request: URLRequest) throws -> URLRequest {
            let request = try adapt(request)
            guard isAgain, !givesStreams, let stream = request.httpBodyStream,
                !(stream is any ReplayableBody), stream.streamStatus != .notOpen
            else { return request }
            throw BodyOnce.usedUp
        }
        switch self {
        case .data(let request):
            return session.dataTask(with: try unread(request), handler: handler)
        case .download(let request):
            return session.downloadTask(with: try unread(request), handler: handler)
        case .resumedDownload(let data):
            return session.downloadTask(withResumeData: data, handler: handler)
        case .uploadData(let data, let request):
            return session.uploadTask(with: try adapt(request), from: data, handler: handler)
        case .uploadFile(let file, let request):
            return session.uploadTask(with: try adapt(request), fromFile: file, handler: handler)
        case .uploadStream(let body, let request):
            if body.isTaken, !givesStreams { throw BodyOnce.usedUp }
            return session.uploadTask(
                withStreamedRequest: try adapt(request), handler: handler)
        }
    }
}

struct RequestParts {
    let session: TaskSession
    let home: any RequestHome
    let source: RequestSource?
    /// The first task, or why there is none.
    let first: Swift.Result<SessionTask, any Error>
    let number: UInt64

    var state: RequestState {
        switch first {
        case .success(let task): RequestState(task: task, error: nil)
        case .failure(let error): RequestState(task: nil, error: error)
        }
    }
}

/// What a request needs of its session delegate, which is the first to handle the events that it
/// wants.
///
/// ## Concurrency
/// Call from: any thread; `evaluate` from the delegate queue.
protocol RequestHome: TaskHandler {
    /// Whether it handles events and questions of a kind, instead of the request.
    func handles(_ kind: TaskInterest) -> Bool
    /// Validates what an attempt got, and calls the retrier, or ends the request.
    func evaluate(_ request: Request)
    /// Ends a request: posts the end of its task, and opens its queue.
    func finish(_ request: Request)
    /// Calls `finish` on the delegate queue.
    func finishSoon(_ request: Request)
    /// Gives the download that replaces a data task to the request that was made for that task.
    func replace(_ task: SessionTask, by download: SessionDownloadTask)
    /// Validates a request that had ended, on the delegate queue.
    func validateAgain(_ request: Request)
}

/// The caller's stream of a body, which can be read once.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the stream. Calls out: never.
struct BodyOnce: Sendable {
    private let stream: Locked<InputStream?>

    init(_ stream: InputStream) { self.stream = Locked(stream) }

    var isTaken: Bool { stream.withLock { $0 == nil } }

    /// The stream; nil where it was taken before.
    func take() -> InputStream? {
        stream.withLock { $0.take() }
    }

    /// The error of a request whose body had to be sent a second time.
    static var usedUp: AFError {
        .multipartEncodingFailed(
            reason: .inputStreamReadFailed(error: URLError(.requestBodyStreamExhausted)))
    }
}
