/// The methods of a request (RFC 9110, section 9; PATCH: RFC 5789).
public enum HTTPMethod: String, Sendable {
    case options = "OPTIONS"
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case trace = "TRACE"
    case connect = "CONNECT"
}

/// Header fields of a request by their names.
public typealias HTTPHeaders = [String: String]

/// What is encoded into a request: any values by their names.
///
/// The values need not be `Sendable`: they are encoded on the caller's thread, before the request
/// goes anywhere.
public typealias Parameters = [String: Any]
