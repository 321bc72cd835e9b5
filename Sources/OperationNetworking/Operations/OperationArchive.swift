import CurlConnection
import Foundation
import FoundationNetworking

/// An operation as an archive holds it (CO-1): request, state and results, under the original's
/// keys; and what protects it, which the original lost (wound 5).
///
/// Integers are written and read in one style (CO-3). An error is written as domain, code and text,
/// since archiving an NSError stops the process on Linux.
enum OperationArchive {
    private static let requestClasses: [AnyClass] = [
        NSURLRequest.self, NSURL.self, NSString.self, NSNumber.self, NSDictionary.self, NSData.self,
        NSArray.self,
    ]

    static func encode(
        _ values: Guarded, _ result: OperationResult, _ state: OperationState, with coder: NSCoder
    ) {
        // A stream cannot be archived, and a request with one cannot be encoded.
        var request = values.request
        if request.httpBodyStream != nil { request.httpBodyStream = nil }
        coder.encode(request as NSURLRequest, forKey: "request")
        coder.encode(values.requestBeforePause != nil, forKey: "isRangeOfPause")
        let archived = state == .finished ? OperationState.finished : .ready
        coder.encode(archived.rawValue, forKey: "state")
        var values = values
        coder.encode(values.response as? HTTPURLResponse, forKey: "response")
        coder.encode(result.responseData.map { $0 as NSData }, forKey: "responseData")
        coder.encode(values.settings.policyInUse, forKey: "securityPolicy")
        coder.encode(values.settings.credential.flatMap(\.archivable), forKey: "credential")
        ConfigurationArchive.encode(values.settings.configuration, with: coder)
        coder.encode(
            values.settings.shouldUseCredentialStorage, forKey: "shouldUseCredentialStorage")
        if let error = result.error {
            let error = error as NSError
            coder.encode(error.domain as NSString, forKey: "error.domain")
            coder.encode(error.code, forKey: "error.code")
            coder.encode(error.localizedDescription as NSString, forKey: "error.text")
        }
    }

    static func decode(from coder: NSCoder) -> (Guarded, OperationState)? {
        guard
            let request = coder.decodeObject(of: requestClasses, forKey: "request") as? NSURLRequest
        else { return nil }
        guard let policy = SecurityPolicy.archived(in: coder),
            let configuration = ConfigurationArchive.decode(from: coder)
        else { return nil }
        var values = Guarded(request: request as URLRequest)
        if coder.bool("isRangeOfPause") == true {
            values.requestBeforePause = withoutRange(values.request)
        }
        values.settings.chosenPolicy = policy
        values.settings.configuration = configuration
        values.settings.credential = coder.object(URLCredential.self, "credential")
        values.settings.shouldUseCredentialStorage =
            coder.bool("shouldUseCredentialStorage") ?? true
        values.response = coder.object(HTTPURLResponse.self, "response")
        let isFinished =
            coder.decodeInteger(forKey: "state") == OperationState.finished.rawValue
        values.isDelivered = isFinished
        return (values, isFinished ? .finished : .ready)
    }

    static func result(from coder: NSCoder) -> OperationResult {
        OperationResult(
            error: error(from: coder),
            responseData: coder.object(NSData.self, "responseData") as Data?)
    }

    /// The caller's request. It is not in the archive itself: on Linux requests that differ in
    /// their fields alone are equal, and an archive holds equal objects once.
    private static func withoutRange(_ request: URLRequest) -> URLRequest {
        var request = request
        request.setValue(nil, forHTTPHeaderField: "Range")
        request.setValue(nil, forHTTPHeaderField: "If-Range")
        return request
    }

    private static func error(from coder: NSCoder) -> (any Error)? {
        // On Linux asking for a key that is not there fails the whole archive.
        guard coder.containsValue(forKey: "error.domain"),
            let domain = coder.decodeObject(of: NSString.self, forKey: "error.domain") as String?
        else { return nil }
        let code = coder.decodeInteger(forKey: "error.code")
        let text = coder.decodeObject(of: NSString.self, forKey: "error.text") as String?
        let info = text.map { [NSLocalizedDescriptionKey: $0] } ?? [:]
        if domain == NSURLErrorDomain, let code = URLError.Code(rawValue: code) {
            return URLError(code, userInfo: info)
        }
        return NSError(domain: domain, code: code, userInfo: info)
    }
}

extension URLCredential {
    /// Itself, unless it holds what no archive can: a private key, or a word for a server.
    var archivable: URLCredential? {
        self is ClientCertificateCredential || self is PeerTrustCredential ? nil : self
    }
}

extension SecurityPolicy {
    /// The policy of an operation or manager: the default one where none was written, nil where one
    /// was and cannot be read.
    static func archived(in coder: NSCoder) -> SecurityPolicy? {
        let key = "securityPolicy"
        return coder.containsValue(forKey: key)
            ? coder.decodeObject(of: SecurityPolicy.self, forKey: key) : .default()
    }
}
