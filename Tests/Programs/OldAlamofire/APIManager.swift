import Alamofire
import Foundation

/// The singleton of many programs, with the module's own `Result`.
class APIManager {
    static let sharedInstance = APIManager()

    var baseURL = "http://localhost"
    private let manager: Alamofire.SessionManager

    private init() {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 30
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        manager = Alamofire.SessionManager(configuration: configuration)
    }

    func get(_ path: String, completion: @escaping (Result<[String: Any]>) -> Void) {
        manager.request(baseURL + path).validate().responseJSON { response in
            switch response.result {
            case .success(let value):
                guard let json = value as? [String: Any] else {
                    completion(.failure(NSError(domain: "api", code: 1, userInfo: nil)))
                    return
                }
                completion(.success(json))
            case .failure(let error):
                completion(.failure(error))
            }
        }
    }

    func all(_ paths: [String], completion: @escaping ([String]) -> Void) {
        let group = DispatchGroup()
        var good: [String] = []
        for path in paths {
            group.enter()
            get(path) { result in
                if result.isSuccess { good.append(path) }
                group.leave()
            }
        }
        group.notify(queue: .main) { completion(good.sorted()) }
    }
}
