import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Synchronization

/// An operation in an archive (CO-1): request, state, results, security policy and configuration, but no credential.
///
/// An error is written as domain, code and text, since archiving an NSError stops the process on Linux.
enum OperationArchive {
    private struct Failure: Codable {
        var domain: String
        var code: Int
        var text: String
    }

    static func encode(
        _ values: GuardedValues, _ result: OperationResult, _ state: OperationMachine.Key?,
        with coder: NSCoder
    ) {
        // The streams of the body and for the response are left out.
        coder.encode(value: RequestArchive(values.request), forKey: "request")
        coder.encode(values.requestBeforePause != nil, forKey: "isRangeOfPause")
        let archived = state == .finished ? OperationMachine.Key.finished : .ready
        coder.encode(archived.rawValue, forKey: "state")
        coder.encode(value: ResponseArchive(values.response), forKey: "response")
        coder.encode(value: result.responseData, forKey: "responseData")
        coder.encode(object: values.settings.policyInUse, forKey: "securityPolicy")
        coder.encode(value: values.settings.configuration, forKey: "configuration")
        coder.encode(
            values.settings.shouldUseCredentialStorage, forKey: "shouldUseCredentialStorage")
        let failure = result.error.map { $0 as NSError }.map {
            Failure(domain: $0.domain, code: $0.code, text: $0.localizedDescription)
        }
        coder.encode(value: failure, forKey: "error")
    }

    /// - Returns: nil where the request, the policy or the configuration cannot be read: a default one may be weaker.
    static func decode(from coder: NSCoder) -> GuardedValues? {
        guard let request = coder.value(RequestArchive.self, forKey: "request")?.request,
            let policy = coder.object(SecurityPolicy.self, forKey: "securityPolicy"),
            let configuration = coder.value(
                URLConnectionConfiguration.self, forKey: "configuration")
        else { return nil }
        var values = GuardedValues(request: request)
        if coder.bool("isRangeOfPause") == true {
            values.requestBeforePause = withoutRange(values.request)
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

    /// Without `Range` and `If-Range`, which a pause adds.
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
    /// Publishes the archived state.
    func show(bytesRead: Int64) {
        bytesStored.store(max(0, bytesRead), ordering: .relaxed)
        reportedBytes.beginReceiving(at: max(0, bytesRead))
        visible.begin(guarded.machine.state.key)
        if state == .finished {
            // Foundation has a state of its own, which queues and dependents read.
            didChangeValue(forKey: "isFinished")
        }
    }
}

extension URLConnectionOperation {
    /// A new operation, ready to start, for the same request.
    func makeCopy() -> URLConnectionOperation {
        let original = lock.withLock {
            // Makes the policy, so that both share it.
            _ = guarded.securityPolicy
            return guarded
        }
        let copy = CopySource.copy(self) ?? baseCopy()
        copy.write {
            $0.sharedSettings = original.sharedSettings
            $0.sharedBlocks = original.sharedBlocks
            $0.dropStreams()
            $0.requestBeforePause = original.requestBeforePause
            let stream = $0.request.httpBodyStream
            $0.requestBeforePause?.httpBodyStream = stream
        }
        copy.reportsBytes.store(reportsBytes.load(ordering: .relaxed), ordering: .relaxed)
        return copy
    }

    private func baseCopy() -> URLConnectionOperation {
        self is HTTPRequestOperation
            ? HTTPRequestOperation(request: freshRequest)
            : URLConnectionOperation(request: freshRequest)
    }

    /// With a new body stream, if the body can be replayed.
    var freshRequest: URLRequest {
        let request = lock.withLock { guarded.request }
        return (try? ReplayedBody.fresh(request)) ?? request
    }
}
