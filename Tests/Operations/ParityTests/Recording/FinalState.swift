import OperationNetworking
import ParitySupport
import TestSupport

/// The state of an operation after the end, under the recordings' names.
enum FinalState {
    /// The fields of a recording in the form that is compared.
    static func expected(_ recorded: [String: JSONValue]) -> [String: JSONValue] {
        var fields = recorded
        fields["error"] = recorded["error"].map(ErrorRecord.expected)
        fields["requestHeaders"] = recorded["requestHeaders"].map { headers($0.members) }
        return fields
    }

    /// The same fields of an operation.
    ///
    /// The object is read before the error, which it may set (HO-2).
    static func observed(_ operation: Operation, server: String) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "isCancelled": JSONValue(operation.isCancelled),
            "isExecuting": JSONValue(operation.isExecuting),
            "isFinished": JSONValue(operation.isFinished),
            "isReady": JSONValue(operation.isReady),
        ]
        if let operation = operation as? HTTPRequestOperation {
            fields["responseObjectClass"] = ObjectClass.name(of: operation.responseObject)
        }
        guard let operation = operation as? URLConnectionOperation else { return fields }
        fields["isPaused"] = JSONValue(operation.isPaused)
        fields["completionBlockIsNil"] = JSONValue(operation.completionBlock == nil)
        fields["error"] = ErrorRecord.observed(operation.error, server: server)
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
            "requestHeaders": headers(
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

    /// Header fields with the recorder's fixed boundary, and without the name of the program.
    private static func headers(_ fields: [String: JSONValue]) -> JSONValue {
        var fields = fields
        if fields["User-Agent"] != nil { fields["User-Agent"] = "a program" }
        if let type = fields["Content-Type"]?.string {
            fields["Content-Type"] = .string(withFixedBoundary(type))
        }
        return .object(fields)
    }

    /// A content type whose boundary, if it has the recorded form, is the recorder's.
    static func withFixedBoundary(_ type: String) -> String {
        type.replacing(/Boundary\+[0-9A-F]{16}/, with: "Boundary+DEADBEEFDEADBEEF")
    }
}
