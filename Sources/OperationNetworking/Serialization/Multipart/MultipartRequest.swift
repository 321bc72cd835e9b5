import Foundation
import FoundationNetworking

/// Makes requests with a `multipart/form-data` body.
enum MultipartRequest {
    /// The parameters become parts in the order of a query string, before the parts of the block
    /// (MP-1 to MP-4). Without any part the result is the serializer's request without parameters.
    ///
    /// - Parameter boundaries: called again as long as the boundary it returns occurs in a part.
    /// - Throws: the serializer's error; `MultipartError` for GET and HEAD, for a parameter that
    ///   cannot be written in the serializer's `stringEncoding`, and for a part that was refused.
    static func make(
        _ serializer: HTTPRequestSerializer, method: String, urlString: String,
        parameters: [String: Any]?, constructingBody: ((any MultipartFormData) -> Void)?,
        boundaries: () -> MultipartBoundary = MultipartBoundary.random
    ) throws -> URLRequest {
        guard method != "GET", method != "HEAD" else {
            throw MultipartError(
                .methodWithoutBody, "A \(method) request has no multipart body.")
        }
        let request = try serializer.request(
            method: method, urlString: urlString, parameters: nil)
        let form = StreamingMultipartFormData()
        let encoding = serializer.stringEncoding
        for pair in try QueryString.pairs(of: parameters) {
            form.appendPart(formData: try bytes(of: pair, encoding), name: pair.field)
        }
        constructingBody?(form)
        return try form.request(from: request, boundaries: boundaries)
    }

    /// The bytes of a parameter (MP-2). A value that the encoding lacks is an error, where the
    /// original left it out (wound 41).
    private static func bytes(
        of pair: QueryString.Pair, _ encoding: String.Encoding
    ) throws(MultipartError) -> Data {
        switch pair.value {
        case .null:
            return Data()
        case .data(let data):
            return data
        case .text(let text):
            guard let data = TextEncoding.data(text, encoding) else {
                throw MultipartError(
                    .unencodableParameter,
                    "The parameter \"\(pair.field)\" cannot be written in the encoding \(encoding)."
                )
            }
            return data
        }
    }
}
