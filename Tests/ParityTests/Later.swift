/// Scenarios that need what comes with issue 3, each with the part they wait for.
enum Later {
    static let scenarios: [String: String] = [
        "serializer-bad-json": "The JSON serializer's verdict on a truncated body.",
        "serializer-bad-type": "The JSON serializer's verdict on a content type.",
        "error-set-lazily": "AFHTTPRequestOperation.responseObject, whose reading sets the error.",
        "responseSerializer-nil": "AFHTTPRequestOperation.responseSerializer.",
        "manager-head": "AFHTTPRequestOperationManager, HEAD.",
        "manager-serialization-error": "AFHTTPRequestOperationManager, request serialization.",
        "manager-bad-url": "AFHTTPRequestOperationManager, request serialization.",
        "multipart-to-file": "The multipart form written to a file.",
    ]
}

/// Fields of scenarios that are run now and that wait for the same: the field is not compared.
enum LaterFields {
    /// AFHTTPRequestOperation writes Range and If-Range into its request when it is paused, and
    /// markers tell them. The base operation sends them without changing its request; the
    /// scenarios look at the server's log instead. The same goes for the final `requestHeaders`.
    static let ofMarkers = ["range", "ifRange"]

    /// A value of a scenario's own record without those fields.
    static func without(_ value: JSONValue) -> JSONValue {
        guard case .object(let members) = value else { return value }
        return .object(members.filter { !ofMarkers.contains($0.key) })
    }
}
