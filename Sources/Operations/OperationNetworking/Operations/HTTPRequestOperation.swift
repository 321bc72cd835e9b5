import CurlConnection
import EventRecorder
public import Foundation
public import FoundationNetworking
import HTTPSemantics
import Synchronization

/// One HTTP request as an operation whose response is validated and made an object.
///
/// A status or type that the serializer does not accept makes `error`, and `failure` is called; the
/// body stays readable in `responseData`, and `responseObject` may hold what an error's body says.
/// `error` is the serializer's once `responseObject` was read; the blocks read it.
///
/// ## Concurrency
/// Call from: any thread. Lock: the superclass's; the serialized response has its own, and
/// serializing happens under neither. Calls out on: a processing queue (the serializer), then
/// `completionQueue` or main (success, failure).
open class HTTPRequestOperation: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because its superclass is; the one constant guards itself.
    private let serializedResponse: LazySerializedResponse

    /// Makes an operation that is ready to start and whose object is the body.
    override public init(request: URLRequest) {
        serializedResponse = LazySerializedResponse()
        super.init(request: request)
    }

    /// The latest response; nil for one that is not HTTP.
    override open var response: HTTPURLResponse? { super.response as? HTTPURLResponse }

    /// What validates the response and makes the object; setting it after the end makes it anew.
    public var responseSerializer: HTTPResponseSerializer {
        get { serializedResponse.serializer }
        set { serializedResponse.serializer = newValue }
    }

    /// What the serializer made of the response; nil before the end, after an error of the
    /// connection, and where it made nothing.
    ///
    /// It is made once, on the thread of the first caller that reads it.
    open var responseObject: Any? {
        guard isFinished || read(\.machine.isMakingObject) else { return nil }
        guard super.error == nil else { return nil }
        return serializedResponse.object(of: super.response, responseData) {
            noteSerialization(from: $0, to: $1)
        }
    }

    /// Why the operation failed: the connection's error, or the serializer's once `responseObject`
    /// was read.
    ///
    /// An operation that was cancelled while its object was made has both; the first counts.
    override open var error: (any Error)? {
        super.error
            ?? serializedResponse.error.map {
                ResponseSerializationError.noted($0, metrics?.retryDecisions.last)
            }
    }

    /// Has one of two blocks called after the end; replaces the completion block.
    ///
    /// The response is serialized on a processing queue before. The block is called once, on
    /// `completionQueue` or main. Once started, the operation lives until then, even without another
    /// reference to it, also while it is paused.
    ///
    /// - Parameters:
    ///   - success: called with the object, which is nil for a body that is legitimately empty or
    ///     went to a stream.
    ///   - failure: called with the error of the connection or of the serializer.
    open func setCompletionBlock(
        success: (@Sendable (HTTPRequestOperation, sending Any?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)?
    ) {
        let completion = Self.completion(success, Self.withOperation(failure))
        // The old one is released without the lock.
        let old: Completion? = lock.withLock {
            // After the end they would never be called, and never be released.
            guard state != .finished else { return completion }
            defer {
                guarded.completion = completion
                setOwesResult(true)
            }
            return guarded.completion
        }
        withExtendedLifetime(old) {}
    }

    static func completion(_ success: Success?, _ failure: LateFailure?) -> Completion {
        .result { ($0 as? HTTPRequestOperation)?.serialize(success, failure) }
    }

    typealias Success = @Sendable (HTTPRequestOperation, sending Any?) -> Void
    /// As the manager's `Failure`, which is also called without an operation.
    package typealias LateFailure = @Sendable (HTTPRequestOperation?, any Error) -> Void

    /// A block of a manager's type, which calls another one where there is an operation.
    package static func withOperation(
        _ failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)?
    ) -> LateFailure? {
        guard let failure else { return nil }
        return { operation, error in if let operation { failure(operation, error) } }
    }

    private func serialize(_ success: Success?, _ failure: LateFailure?) {
        let target = completionBegins()
        let sender = sender
        target.group?.enter()
        // After the notification of the end, which may still be queued there.
        process(by: sender) {
            let (object, error) = self.serialized()
            // nonisolated(unsafe) because it is not changed here; the callers share it, as in the original.
            nonisolated(unsafe) let made = object
            let call: @Sendable () -> Void = {
                self.willCallCompletion()
                if let error {
                    failure?(self, error)
                } else {
                    success?(self, made)
                }
            }
            target.deliver(
                call, of: self.number, named: error == nil ? .success : .failure, by: sender
            ) {
                self.completionEnds()
            }
            target.group?.leave()
        }
    }

    override func makeObject() { _ = serialized() }

    /// Serializes, unless that was done, in a span of the recording.
    func serialized() -> (object: Any?, error: (any Error)?) {
        var result: (object: Any?, error: (any Error)?)
        EventRecorder.span(.serialization, subject: number, text: serializerName) {
            serializedResponse.withConsistentError { result = (responseObject, error) }
        }
        return result
    }

    private var serializerName: EventText { EventText("\(type(of: responseSerializer))") }

    /// Pauses, and writes the range of the remaining bytes into `request`, with the `ETag` as `If-Range` where the
    /// response has one.
    ///
    /// A request that has a range of the caller's keeps it; such a download starts over.
    override open func pause() {
        super.pause()
        write {
            let old = $0.request
            $0.markRange(from: state == .finished ? 0 : bytesStored.load(ordering: .relaxed))
            return old
        }
    }

    // MARK: - Copying and coding

    /// As the superclass's, with a copy of the serializer.
    ///
    /// A range that a pause has written into the request is in the copy's too, until it runs: the copy requests all
    /// bytes.
    override open func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let operation = copy as? HTTPRequestOperation,
            let serializer = responseSerializer.copy() as? HTTPResponseSerializer
        {
            operation.responseSerializer = serializer
        }
        return copy
    }

    /// As the superclass's, with the serializer.
    override open func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(object: responseSerializer, forKey: "responseSerializer")
    }

    /// Reads what `encode` wrote; nil where the serializer cannot be read: another one may accept
    /// more.
    public required init?(coder: NSCoder) {
        if CopySource.original(of: coder, as: HTTPRequestOperation.self) != nil {
            serializedResponse = LazySerializedResponse()
            super.init(coder: coder)
            return
        }
        guard
            let serializer = coder.object(
                HTTPResponseSerializer.self, forKey: "responseSerializer")
        else { return nil }
        serializedResponse = LazySerializedResponse(serializer)
        super.init(coder: coder)
    }
}

extension GuardedValues {
    fileprivate mutating func markRange(from offset: Int64) {
        var next = rare?.requestBeforePause ?? request
        guard next.value(forHTTPHeaderField: "Range") == nil else { return }
        rareValues.requestBeforePause = next
        next.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
        let tag = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag")
        // An invalid field value would make the next run fail.
        next.setValue(
            tag.flatMap { RequestField.isValue($0) ? $0 : nil }, forHTTPHeaderField: "If-Range")
        request = next
    }
}
