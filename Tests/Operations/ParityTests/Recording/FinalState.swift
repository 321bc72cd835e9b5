import OperationNetworking
import ParitySupport
import TestSupport

/// The state of an operation after the end, under the recordings' names.
enum FinalState {
    /// The fields of a recording in the form that is compared.
    static func expected(_ recorded: [String: GoldenValue]) -> [String: GoldenValue] {
        var fields = recorded
        fields["error"] = recorded["error"].map(ErrorRecord.expected)
        fields["requestHeaders"] = recorded["requestHeaders"].map { headers($0.members) }
        return fields
    }

    /// The same fields of an operation.
    ///
    /// The object is read before the error, which it may set (HO-2).
    static func observed(_ operation: Operation, server: String) -> [String: GoldenValue] {
        var fields: [String: GoldenValue] = [
            "isCancelled": GoldenValue(operation.isCancelled),
            "isExecuting": GoldenValue(operation.isExecuting),
            "isFinished": GoldenValue(operation.isFinished),
            "isReady": GoldenValue(operation.isReady),
        ]
        if let operation = operation as? HTTPRequestOperation {
            fields["responseObjectClass"] = Seen.className(of: operation.responseObject)
        }
        guard let operation = operation as? URLConnectionOperation else { return fields }
        fields["isPaused"] = GoldenValue(operation.isPaused)
        fields["completionBlockIsNil"] = GoldenValue(operation.completionBlock == nil)
        fields["error"] = ErrorRecord.observed(operation.error, server: server)
        fields.merge(answer(operation, server)) { $1 }
        return fields
    }

    private static func answer(
        _ operation: URLConnectionOperation, _ server: String
    ) -> [String: GoldenValue] {
        let request = operation.request
        let response = operation.response as? HTTPURLResponse
        func text(_ url: URL?) -> GoldenValue {
            GoldenValue(url?.absoluteString.replacing(server, with: "{base}"))
        }
        return [
            "method": GoldenValue(request.httpMethod),
            "requestHeaders": headers(
                (request.allHTTPHeaderFields ?? [:]).mapValues { .string($0) }),
            "requestURL": text(request.url),
            "responseURL": text(operation.response?.url),
            "responseDataLength": operation.responseData.map { .int($0.count) } ?? .null,
            "responseString": GoldenValue(operation.responseString),
            "responseStringEncoding": .int(Int(operation.responseStringEncoding?.rawValue ?? 0)),
            "statusCode": response.map { .int($0.statusCode) } ?? .null,
            "totalBytesRead": .int(Int(operation.totalBytesRead)),
        ]
    }

    /// Header fields with the recorder's fixed boundary, and without the name of the program.
    private static func headers(_ fields: [String: GoldenValue]) -> GoldenValue {
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
