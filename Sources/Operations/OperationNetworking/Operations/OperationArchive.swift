import CurlConnection
import HTTPSemantics
import Foundation
import FoundationNetworking
import Synchronization

/// An operation as an archive holds it (CO-1): request, state and results, and what protects it, which
/// the original lost (wound 5).
///
/// No credential is written. An error is written as domain, code and text, since archiving an NSError
/// stops the process on Linux.
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
        // A stream cannot be archived.
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

    /// - Returns: nil where the request, the policy or the configuration cannot be read: an archive
    ///   never weakens one (wound 5).
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

    /// The caller's request, without what the pause wrote.
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
    /// Has others see what an archive said.
    func show(bytesRead: Int64) {
        bytesStored.store(max(0, bytesRead), ordering: .relaxed)
        reportedBytes.beginReceiving(at: max(0, bytesRead))
        visible.begin(guarded.machine.state.key)
        if state == .finished {
            // Foundation keeps a state of its own, which queues and dependents look at.
            didChangeValue(forKey: "isFinished")
        }
    }
}
