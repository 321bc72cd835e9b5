import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Synchronization

/// Encodes and decodes an operation: request, state, response, body, error, security policy and configuration.
/// Credentials are not archived.
///
/// An error is encoded as domain, code and description, since Foundation on Linux ends the process when an `NSError` is
/// archived.
enum OperationArchive {
    private struct Failure: Codable {
        var domain: String
        var code: Int
        var text: String
    }

    static func encode(_ operation: URLConnectionOperation, with coder: NSCoder) {
        let (request, response, settings, result, state, isRangeOfPause) =
            operation.lock.withLock {
                (
                    operation.guarded.request, operation.guarded.response,
                    operation.guarded.sharedSettings, operation.result, operation.state,
                    operation.guarded.rare?.requestBeforePause != nil
                )
            }
        // The body stream of the request and the output stream are not archived.
        coder.encode(value: RequestArchive(request), forKey: "request")
        coder.encode(isRangeOfPause, forKey: "isRangeOfPause")
        let archived = state == .finished ? OperationMachine.Key.finished : .ready
        coder.encode(archived.rawValue, forKey: "state")
        coder.encode(value: ResponseArchive(response), forKey: "response")
        coder.encode(value: result.responseData, forKey: "responseData")
        coder.encode(object: settings.policyInUse, forKey: "securityPolicy")
        coder.encode(value: settings.value.configuration, forKey: "configuration")
        coder.encode(
            settings.value.shouldUseCredentialStorage, forKey: "shouldUseCredentialStorage")
        let failure = result.error.map { $0 as NSError }.map {
            Failure(domain: $0.domain, code: $0.code, text: $0.localizedDescription)
        }
        coder.encode(value: failure, forKey: "error")
        let count = operation.bytesStored.load(ordering: .relaxed)
        coder.encode(count, forKey: "totalBytesRead")
    }

    /// - Returns: nil if the request, the policy or the configuration cannot be decoded. Defaults would not do, because
    ///   they may be less secure.
    static func decode(from coder: NSCoder) -> GuardedValues? {
        guard let request = coder.value(RequestArchive.self, forKey: "request")?.request,
            let policy = coder.object(SecurityPolicy.self, forKey: "securityPolicy"),
            let configuration = coder.value(
                URLConnectionConfiguration.self, forKey: "configuration")
        else { return nil }
        var values = GuardedValues(request: request)
        if coder.bool("isRangeOfPause") == true {
            values.rareValues.requestBeforePause = withoutRange(values.request)
        }
        values.settings.chosenPolicy = policy
        values.settings.configuration = configuration
        values.settings.shouldUseCredentialStorage =
            coder.bool("shouldUseCredentialStorage") ?? true
        values.response = coder.value(ResponseArchive.self, forKey: "response")?.response
        let isFinished = coder.integer("state") == OperationMachine.Key.finished.rawValue
        if isFinished { values.machine = OperationMachine(.finished) }
        return values
    }

    static func result(from coder: NSCoder) -> OperationResult {
        OperationResult(
            error: error(from: coder),
            responseData: coder.value(Data.self, forKey: "responseData"))
    }

    /// Removes the fields `Range` and `If-Range`, which a pause has added.
    private static func withoutRange(_ request: URLRequest) -> URLRequest {
        var request = request
        request.setValue(nil, forHTTPHeaderField: "Range")
        request.setValue(nil, forHTTPHeaderField: "If-Range")
        return request
    }

    private static func error(from coder: NSCoder) -> (any Error)? {
        guard let failure = coder.value(Failure.self, forKey: "error") else { return nil }
        let info = [NSLocalizedDescriptionKey: failure.text]
        if failure.domain == NSURLErrorDomain, let code = URLError.Code(rawValue: failure.code) {
            return URLError(code, described: info)
        }
        return DescribedError(domain: failure.domain, code: failure.code, userInfo: info)
    }
}

extension URLConnectionOperation {
    /// Makes the decoded state and byte count readable through `state`, `isFinished` and the counters.
    func show(bytesRead: Int64) {
        bytesStored.store(max(0, bytesRead), ordering: .relaxed)
        reportedBytes.beginReceiving(at: max(0, bytesRead))
        visible.begin(guarded.machine.state.key)
        if state == .finished {
            // Foundation's `Operation` keeps its own finished flag; this notification sets it, so that queues and
            // dependents see the end.
            didChangeValue(forKey: "isFinished")
        }
    }

    /// Makes an operation that has not started, with the same request and settings. It gets the blocks too, but neither
    /// the completion nor the progress streams; after the original's end, only the blocks that decide are left to copy.
    func makeCopy() -> URLConnectionOperation {
        let (settings, blocks, requestBeforePause) = lock.withLock {
            // Creates the default policy if there is none, so that both operations have the same object.
            _ = guarded.securityPolicy
            return (guarded.sharedSettings, guarded.sharedBlocks, guarded.rare?.requestBeforePause)
        }
        let copy = CopySource.copy(self) ?? baseCopy()
        copy.write {
            $0.sharedSettings = settings
            $0.sharedBlocks = blocks
            $0.dropStreams()
            guard var requestBeforePause else { return }
            requestBeforePause.httpBodyStream = $0.request.httpBodyStream
            $0.rareValues.requestBeforePause = requestBeforePause
        }
        copy.reportsBytes.store(reportsBytes.load(ordering: .relaxed), ordering: .relaxed)
        return copy
    }

    private func baseCopy() -> URLConnectionOperation {
        self is HTTPRequestOperation
            ? HTTPRequestOperation(request: freshRequest)
            : URLConnectionOperation(request: freshRequest)
    }

    /// The request, with a new body stream if the body can be read again.
    var freshRequest: URLRequest {
        let request = lock.withLock { guarded.request }
        return (try? request.withFreshBody()) ?? request
    }
}
