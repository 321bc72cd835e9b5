import EventRecorder
import Foundation
import FoundationNetworking
import Locking
import Scheduling
import SessionTasks

// How requests and their tasks are made.
extension SessionManager {
    /// A suspended task for an attempt of a request.
    ///
    /// - Parameters:
    ///   - isAgain: whether the request had a task before.
    ///   - handler: called with the task before other code has it; returns what handles the task.
    /// - Throws: what the adapter throws, unchanged; `AFError` for a stream that was read before.
    func makeTask(
        _ source: RequestSource, for number: UInt64, isAgain: Bool = false,
        handler: TaskSession.MakesHandler
    ) throws -> SessionTask {
        let adapter = adapter
        return try source.makeTask(
            in: taskSession, givesStreams: delegate.givesStreams, isAgain: isAgain, handler: handler
        ) { request in
            guard let adapter else { return request }
            return try EventRecorder.span(.callback, subject: number, text: RequestText.adapter) {
                try adapter.adapt(request)
            }
        }
    }

    /// Makes a request before its task is listed, so that it handles the task's end. Resumes it if
    /// requests are resumed, or as `isResumed` says.
    ///
    /// Without a task its handlers get the error; where the adapter threw it, the retrier is asked
    /// first.
    func start<Made: Request>(
        _ source: RequestSource, isResumed: Bool? = nil, _ make: (RequestParts) -> Made
    ) -> Made {
        let number = EventRecorder.nextNumber()
        var made: Made?
        func makeRequest(_ first: Swift.Result<SessionTask, any Error>) -> Made {
            EventRecorder.begin(.request, subject: number, text: source.recordedText)
            let request = make(parts(source, first, number))
            delegate.list(request)
            return request
        }
        let first = Swift.Result {
            try makeTask(source, for: number) { task in
                made = makeRequest(.success(task))
                return made
            }
        }
        let request = made ?? makeRequest(first)
        if case .failure(let error) = first, let retrier,
            let question = request.state.withLock({ $0.ask() })
        {
            // The question is open already: a `resume()` that comes first waits for the answer.
            let work: @Sendable () -> Void = { [weak self, delegate] in
                guard let self else { return }
                delegate.callRetrier(question, retrier, of: self, about: request, error)
            }
            if !WorkerPool.utility.perform(work) { work() }
        } else if isResumed ?? startRequestsImmediately {
            request.resume()
        }
        return request
    }

    /// A request that has no task and is not tried again; its handlers get the error (AL-04).
    func fail<Made: Request>(
        _ error: any Error, _ urlRequest: URLRequest? = nil, _ make: (RequestParts) -> Made
    ) -> Made {
        let number = EventRecorder.nextNumber()
        EventRecorder.begin(
            .request, subject: number,
            text: EventText(method: urlRequest?.httpMethod, url: urlRequest?.url))
        let request = make(
            parts(urlRequest.map(RequestSource.data), .failure(error), number))
        delegate.list(request)
        if startRequestsImmediately { request.resume() }
        return request
    }

    private func parts(
        _ source: RequestSource?, _ first: Swift.Result<SessionTask, any Error>, _ number: UInt64
    ) -> RequestParts {
        RequestParts(
            session: taskSession, home: delegate, source: source, first: first, number: number)
    }
}

extension SessionManager {
    /// An upload of parts, by the method that takes a request.
    func upload(
        to url: any URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        _ make: (URLRequest) -> UploadRequest
    ) -> UploadRequest {
        do {
            return make(try URLRequest(url: url, method: method, headers: headers))
        } catch {
            return fail(error) { UploadRequest($0) }
        }
    }

    func upload(
        _ urlRequest: any URLRequestConvertible, _ source: (URLRequest) -> RequestSource
    ) -> UploadRequest {
        do {
            return start(source(try urlRequest.asURLRequest()), UploadRequest.init)
        } catch {
            return fail(error) { UploadRequest($0) }
        }
    }
}
