import Alamofire
import Foundation

// snippet: begin
class TokenAdapter: RequestAdapter {
    var token: String?

    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        guard let token = token else { throw NotLoggedIn() }
        var urlRequest = urlRequest
        urlRequest.setValue("Token \(token)", forHTTPHeaderField: "Authorization")
        return urlRequest
    }
}

struct NotLoggedIn: Error {}

class SignedClient {
    let adapter = TokenAdapter()
    let sessionManager = SessionManager()

    init() {
        sessionManager.adapter = adapter
    }
}
// snippet: end

extension SignedClient {
    func whoAmI(_ url: String, completion: @escaping (String?, Error?) -> Void) {
        sessionManager.request(url).responseJSON { response in
            let headers = (response.value as? [String: Any])?["headers"] as? [String: Any]
            completion(headers?["Authorization"] as? String, response.error)
        }
    }
}
