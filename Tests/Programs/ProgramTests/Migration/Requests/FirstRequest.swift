import Foundation
import FoundationNetworking
import RequestEra

func firstRequest(_ server: String, _ completion: @escaping @Sendable (String?) -> Void) {
    // snippet: begin
    SessionManager.default.request("\(server)/get").responseJSON { response in
        print(response.request as Any)  // the request that was sent
        print(response.response as Any)  // status and header fields
        print(response.data as Any)  // the body
        print(response.result)  // SUCCESS or FAILURE

        if let json = response.result.value {
            print("JSON: \(json)")
        }
        completion((response.value as? [String: Any])?["url"] as? String)
    }
    // snippet: end
}
