import Alamofire
import Foundation

/// What the guide of 4.x shows for errors: every case by its name.
func describe(_ anyError: Error?) -> String {
    guard case .some(let error) = anyError else { return "none" }
    if let error = error as? AFError {
        switch error {
        case .invalidURL(let url):
            return "invalid URL \(url)"
        case .parameterEncodingFailed(let reason):
            return "encoding \(reason)"
        case .multipartEncodingFailed(let reason):
            return "form \(reason)"
        case .responseValidationFailed(let reason):
            switch reason {
            case .dataFileNil, .dataFileReadFailed:
                return "no file"
            case .missingContentType(let acceptableContentTypes):
                return "no type of \(acceptableContentTypes)"
            case .unacceptableContentType(let acceptableContentTypes, let responseContentType):
                return "\(responseContentType) is none of \(acceptableContentTypes)"
            case .unacceptableStatusCode(let code):
                return "status \(code)"
            }
        case .responseSerializationFailed(let reason):
            return "serialization \(error.underlyingError != nil) \(reason)"
        }
    } else if let error = error as? URLError {
        return "URLError \(error.code.rawValue)"
    }
    return "unknown \(error)"
}

func errorText(_ url: String, completion: @escaping (String) -> Void) {
    Alamofire.request(url).validate(contentType: ["text/html"]).responseJSON { response in
        guard case let .failure(error) = response.result else { return completion("none") }
        completion(describe(error))
    }
}
