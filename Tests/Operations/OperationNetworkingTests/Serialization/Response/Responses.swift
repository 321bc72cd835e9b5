import OperationNetworking
import TestSupport

/// Responses for tests of the serializers.
enum Responses {
    /// An HTTP response with a status and a Content-Type, as Foundation makes it.
    static func http(_ status: Int = 200, _ type: String?) -> HTTPURLResponse? {
        URL(string: "http://example.com/r").flatMap {
            HTTPURLResponse(
                url: $0, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: type.map { ["Content-Type": $0] })
        }
    }
}

extension SerializedResponse {
    /// The error as NSError shows it.
    var nsError: NSError? { error.map { $0 as NSError } }

    /// The body's text, of a serializer that does not decode.
    var text: String? { (object as? Data).map { String(decoding: $0, as: UTF8.self) } }
}

extension NSError {
    var beneath: NSError? { userInfo[NSUnderlyingErrorKey] as? NSError }
}
