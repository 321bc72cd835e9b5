import Foundation
import FoundationNetworking

/// Makes requests with a `multipart/form-data` body.
extension RequestSettings {
    /// The request with the parameters as parts, in the order of a query string, and then the parts of
    /// the block (MP-1 to MP-4). Without any part the request stays as it is.
    ///
    /// - Parameter boundaries: called again as long as the boundary it returns occurs in a part.
    /// - Throws: `MultipartError` for a parameter that cannot be written in `stringEncoding`, and for a
    ///   part that was refused; `RequestSerializationError` for parameters nested too deeply.
    func withParts(
        _ request: URLRequest, _ parameters: [String: Any]?,
        _ constructingBody: ((any MultipartFormData) -> Void)?,
        boundaries: () -> MultipartBoundary = MultipartBoundary.random
    ) throws -> URLRequest {
        let form = StreamingMultipartFormData()
        for pair in try QueryString.pairs(of: parameters) {
            form.appendPart(formData: try bytes(of: pair), name: pair.field)
        }
        constructingBody?(form)
        return try form.request(from: request, boundaries: boundaries)
    }

    /// The bytes of a parameter (MP-2). A value that the encoding lacks is an error, where the
    /// original left it out (wound 41).
    private func bytes(of pair: QueryString.Pair) throws(MultipartError) -> Data {
        switch pair.value {
        case .null:
            return Data()
        case .data(let data):
            return data
        case .text(let text):
            guard let data = TextEncoding.data(text, stringEncoding) else {
                throw MultipartError(
                    .unencodableParameter,
                    "The parameter \"\(pair.field)\" cannot be written in the encoding "
                        + "\(stringEncoding).")
            }
            return data
        }
    }
}
