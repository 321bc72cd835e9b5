import Alamofire
import Foundation

/// Session managers with configurations of their own.
class Managers {
    let ephemeral = Alamofire.SessionManager(configuration: URLSessionConfiguration.ephemeral)

    let tracked: SessionManager = {
        var defaultHeaders = Alamofire.SessionManager.defaultHTTPHeaders
        defaultHeaders["X-Client"] = "shop/2"

        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = defaultHeaders
        configuration.timeoutIntervalForRequest = 20

        return Alamofire.SessionManager(configuration: configuration)
    }()

    func headers(_ server: String, completion: @escaping ([[String: Any]]) -> Void) {
        var all: [[String: Any]] = []
        let sessionManager = Alamofire.SessionManager.default
        for manager in [sessionManager, tracked, ephemeral] {
            manager.request("\(server)/headers").responseJSON { response in
                let json = response.result.value as? [String: Any]
                all.append(json?["headers"] as? [String: Any] ?? [:])
                if all.count == 3 { completion(all) }
            }
        }
    }

    func waiting(_ url: String, completion: @escaping (Bool) -> Void) -> DataRequest {
        ephemeral.startRequestsImmediately = false
        defer { ephemeral.startRequestsImmediately = true }
        return ephemeral.request(url).response { completion($0.error == nil) }
    }

    /// The most asked question about the library: a manager that nobody keeps.
    func forgotten(_ url: String, completion: @escaping (Error?) -> Void) {
        let manager = SessionManager(configuration: .ephemeral)
        manager.request(url).response { completion($0.error) }
    }
}
