public import Foundation
public import FoundationNetworking
import Locking
import SessionTasks

/// A request whose body is stored in memory, or passed to a closure piece by piece.
///
/// ## Concurrency
/// As for `Request`.
open class DataRequest: Request, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.

    /// Looks at a response and its body; called on the session's delegate queue.
    public typealias Validation =
        @Sendable (URLRequest?, HTTPURLResponse, Data?) -> ValidationResult

    convenience init(_ parts: RequestParts) {
        self.init(parts, DataTaskDelegate(Locked(parts.state)))
    }

    /// The progress of the response in bytes; the total is -1 where it is unknown. A retry makes a new
    /// object.
    open var progress: Progress { state.withLock { $0.download.object } }

    /// Passes the body to a closure, piece by piece, instead of storing it: `data` is nil then.
    ///
    /// The request may have begun before. The closure gets what was stored until then first, and
    /// before handlers that are added after this.
    ///
    /// - Parameter closure: called on the session's delegate queue, which it must not block; with
    ///   nil the body is stored.
    @preconcurrency
    @discardableResult
    open func stream(closure: (@Sendable (Data) -> Void)? = nil) -> Self {
        let step = state.change { state in
            let step = state.stream(to: closure)
            // Under the lock, as it is opened, since the end may be about to open it.
            if case .reopens = step { delegate.handlers.close() }
            return step
        }.result
        switch step {
        case .set: break
        case .flushes: taskSession.delegateQueue.addOperation { self.delegate.flushLateStream() }
        case .reopens: home.finishSoon(self)
        }
        return self
    }

    /// Sets the closure that is called for each piece of the response; the last one set counts.
    ///
    /// One that is set after the bytes were transferred is called with their number, before the handlers.
    @preconcurrency
    @discardableResult
    open func downloadProgress(
        queue: DispatchQueue = .main, closure: @escaping ProgressHandler
    ) -> Self {
        report(\.download, on: queue, closure)
        return self
    }

    /// Adds a validation, which runs when the task has ended and there is a response.
    ///
    /// The first failure becomes the request's error, also in place of the transfer's. One that is added
    /// before the first handler counts, also where the request has ended meanwhile; one that is
    /// added after the end of a request with handlers does not.
    @preconcurrency
    @discardableResult
    public func validate(_ validation: @escaping Validation) -> Self {
        addValidation { validation($0.request, $1, $0.delegate.data) }
        return self
    }

    /// Accepts these statuses.
    @discardableResult
    public func validate<S: Sequence & Sendable>(statusCode acceptableStatusCodes: S) -> Self
    where S.Element == Int {
        validate { _, response, _ in
            ResponseValidation.status(acceptableStatusCodes, response)
        }
    }

    /// Accepts these types, of which `*` may be a part, and any type of an empty body.
    @discardableResult
    public func validate<S: Sequence>(contentType acceptableContentTypes: S) -> Self
    where S.Element == String {
        let types = Array(acceptableContentTypes)
        return validate { _, response, data in
            ResponseValidation.contentType(types, response, data)
        }
    }

    /// Accepts 200 to 299, and the types that the request's `Accept` names now.
    @discardableResult
    public func validate() -> Self {
        validate(statusCode: ResponseValidation.acceptableStatusCodes)
            .validate(contentType: ResponseValidation.acceptableContentTypes(of: request))
    }
}
