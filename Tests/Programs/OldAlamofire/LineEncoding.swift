import Alamofire
import Foundation

/// A body of lines, for a server that reads nothing else.
struct LineEncoding: ParameterEncoding {
    let lines: [String]

    func encode(
        _ urlRequest: URLRequestConvertible, with parameters: Parameters?
    ) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        request.httpBody = lines.joined(separator: "\n").data(using: .utf8)
        return request
    }
}

func postLines(_ lines: [String], to url: URL, completion: @escaping (String?) -> Void) {
    Alamofire.request(url, method: .post, encoding: LineEncoding(lines: lines))
        .responseJSON { response in
            completion((response.result.value as? [String: Any])?["data"] as? String)
        }
}
