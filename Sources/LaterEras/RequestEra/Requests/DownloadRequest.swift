public import Foundation
public import FoundationNetworking
import HTTPSemantics
import Locking
import SessionTasks

/// A request whose body goes to a file.
///
/// Without a destination the file stays in the temporary folder, where `temporaryURL` of the response says;
/// the program moves or removes it. A retry removes the file of the attempt before.
///
/// ## Concurrency
/// As `Request`. The destination is asked on the session's delegate queue.
open class DownloadRequest: Request, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.

    /// How the file may get to its destination.
    public struct DownloadOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Makes the folders that are missing.
        public static let createIntermediateDirectories = DownloadOptions(rawValue: 1 << 0)
        /// Removes a file that is there. Without it that is an error; the file of an earlier attempt
        /// of the same request is always replaced.
        public static let removePreviousFile = DownloadOptions(rawValue: 1 << 1)

        /// Options of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    /// Says where the file is to be moved to; called on the session's delegate queue with the file
    /// where it was written.
    public typealias DownloadFileDestination =
        @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (
            destinationURL: URL, options: DownloadOptions
        )

    /// Looks at a response, the file and where it was moved; called on the session's delegate queue.
    public typealias Validation =
        @Sendable (
            _ request: URLRequest?, _ response: HTTPURLResponse, _ temporaryURL: URL?,
            _ destinationURL: URL?
        ) -> ValidationResult

    convenience init(_ parts: RequestParts, _ destination: DownloadFileDestination?) {
        self.init(parts, DownloadTaskDelegate(Locked(parts.state), destination))
    }

    /// What a download that ended early can be resumed with; nil where it cannot.
    open var resumeData: Data? { state.withLock { $0.resumeData } }

    /// The progress in bytes; the total is -1 where it is unknown. A retry makes a new object.
    open var progress: Progress { state.withLock { $0.download.object } }

    /// Cancels and makes resume data.
    open override func cancel() {
        cancel(createResumeData: true)
    }

    /// Cancels; see `Request.cancel()`.
    ///
    /// - Parameter createResumeData: whether `resumeData` is made, where the download can be
    ///   continued.
    open func cancel(createResumeData: Bool) {
        cancel { createResumeData ? stop($0) : $0.cancel() }
    }

    /// Cancels a task and stores its resume data. A task that has ended has none; that of the
    /// attempt before stays then.
    final func stop(_ task: SessionTask) {
        guard let task = task as? SessionDownloadTask else { return task.cancel() }
        task.cancel { [state] data in
            if let data { state.withLock { $0.resumeData = data } }
        }
    }

    /// Sets the closure that is called for each piece that was written; the last one set counts.
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

    /// A destination in a folder of the system, by the name that the response suggests.
    ///
    /// The name is a harmless one, whatever the server says: `safeSuggestedFilename`, or `Unknown`
    /// where neither a field nor the address has one. There are no options, so a name that is taken is an error.
    @preconcurrency
    open class func suggestedDownloadDestination(
        for directory: FileManager.SearchPathDirectory = .documentDirectory,
        in domain: FileManager.SearchPathDomainMask = .userDomainMask
    ) -> DownloadFileDestination {
        { temporaryURL, response in
            let folder = FileManager.default.urls(for: directory, in: domain).first
            guard let folder else { return (temporaryURL, []) }
            let field = response.value(forHTTPHeaderField: "Content-Disposition")
            let last = response.url?.lastPathComponent ?? ""
            let isNamed = field != nil || !["", "/"].contains(last)
            // Foundation's name on Linux for a response without one.
            let name = isNamed ? response.safeSuggestedFilename : "Unknown"
            return (folder.appendingPathComponent(name), [])
        }
    }

    /// Adds a validation, as `DataRequest.validate(_:)`. The file is moved before: a failure leaves
    /// it at its destination.
    @preconcurrency
    @discardableResult
    public func validate(_ validation: @escaping Validation) -> Self {
        addValidation { request, response in
            let (temporaryURL, destinationURL) = request.state.withLock {
                ($0.temporaryURL, $0.destinationURL)
            }
            return validation(request.request, response, temporaryURL, destinationURL)
        }
        return self
    }

    /// Accepts these statuses.
    @discardableResult
    public func validate<S: Sequence & Sendable>(statusCode acceptableStatusCodes: S) -> Self
    where S.Element == Int {
        validate { _, response, _, _ in
            ResponseValidation.status(acceptableStatusCodes, response)
        }
    }

    /// Accepts these types, of which `*` may be a part, and any type of an empty file.
    @discardableResult
    public func validate<S: Sequence>(contentType acceptableContentTypes: S) -> Self
    where S.Element == String {
        let types = Array(acceptableContentTypes)
        return validate { _, response, temporaryURL, destinationURL in
            ResponseValidation.contentType(
                types, response, file: destinationURL ?? temporaryURL)
        }
    }

    /// Accepts 200 to 299, and the types that the request's `Accept` names now.
    @discardableResult
    public func validate() -> Self {
        validate(statusCode: ResponseValidation.acceptableStatusCodes)
            .validate(contentType: ResponseValidation.acceptableContentTypes(of: request))
    }
}
