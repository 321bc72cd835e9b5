import Foundation
import FoundationNetworking
import OperationNetworking

/// The state of an operation after the end, under the recordings' names.
enum FinalState {
    /// The fields of a recording that the base operation has, in the form used here.
    static func expected(_ recorded: [String: JSONValue]) -> [String: JSONValue] {
        var fields = recorded
        fields["responseObjectClass"] = nil
        if fields["requestHeaders"] != .object([:]) {
            // A range, or what a serializer put there (see LaterFields).
            fields["requestHeaders"] = nil
        }
        guard let error = fields.removeValue(forKey: "error") else { return fields }
        fields["error"] = .null
        let members = error.members
        guard let domain = members["domain"], let code = members["code"] else { return fields }
        let text = "\(domain)/\(code)"
        guard !Event.isOfSerializer(text) else { return fields }
        fields["error"] = .string(text)
        if text == "NSURLErrorDomain/-999" {
            fields["cancelErrorKeys"] = members["userInfoKeys"]
        }
        return fields
    }

    /// The same fields of an operation.
    static func observed(_ operation: Operation, server: String) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "isCancelled": JSONValue(operation.isCancelled),
            "isExecuting": JSONValue(operation.isExecuting),
            "isFinished": JSONValue(operation.isFinished),
            "isReady": JSONValue(operation.isReady),
        ]
        guard let operation = operation as? URLConnectionOperation else { return fields }
        fields["isPaused"] = JSONValue(operation.isPaused)
        fields["completionBlockIsNil"] = JSONValue(operation.completionBlock == nil)
        fields["error"] = JSONValue(text(of: operation.error))
        if let error = operation.error as? URLError, error.code == .cancelled {
            let keys = (error as NSError).userInfo.keys.sorted()
            fields["cancelErrorKeys"] = .array(keys.map { .string($0) })
        }
        fields.merge(answer(operation, server)) { $1 }
        return fields
    }

    private static func answer(
        _ operation: URLConnectionOperation, _ server: String
    ) -> [String: JSONValue] {
        let request = operation.request
        let response = operation.response as? HTTPURLResponse
        func text(_ url: URL?) -> JSONValue {
            JSONValue(url?.absoluteString.replacing(server, with: "{base}"))
        }
        return [
            "method": JSONValue(request.httpMethod),
            "requestHeaders": .object(
                (request.allHTTPHeaderFields ?? [:]).mapValues { .string($0) }),
            "requestURL": text(request.url),
            "responseURL": text(operation.response?.url),
            "responseDataLength": operation.responseData.map { .int($0.count) } ?? .null,
            "responseString": JSONValue(operation.responseString),
            "responseStringEncoding": .int(Int(operation.responseStringEncoding?.rawValue ?? 0)),
            "statusCode": response.map { .int($0.statusCode) } ?? .null,
            "totalBytesRead": .int(Int(operation.totalBytesRead)),
        ]
    }

    /// An error as `domain/code`.
    static func text(of error: (any Error)?) -> String? {
        (error as NSError?).map { "\($0.domain)/\($0.code)" }
    }
}
