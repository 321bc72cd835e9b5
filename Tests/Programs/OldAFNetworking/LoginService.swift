import AFNetworking

class LoginService: NSObject {
    let manager: AFHTTPRequestOperationManager
    var token: String?

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        manager.requestSerializer = AFJSONRequestSerializer()
        super.init()
    }

    func login(_ name: String, password: String, completion: @escaping (Bool) -> Void) {
        let parameters = ["name": name, "password": password]
        manager.post(
            "login", parameters: parameters,
            success: { operation, responseObject in
                guard let json = responseObject as? [String: AnyObject],
                    let token = json["token"] as? String
                else {
                    completion(false)
                    return
                }
                self.token = token
                self.manager.requestSerializer.setValue(
                    "Bearer " + token, forHTTPHeaderField: "Authorization")
                completion(true)
            }
        ) { operation, error in
            completion(false)
        }
    }

    func logout() {
        token = nil
        manager.requestSerializer.clearAuthorizationHeader()
    }

    func profile(_ completion: @escaping ([String: Any]?) -> Void) {
        manager.get(
            "profile", parameters: nil,
            success: { _, object in
                completion(object as? [String: Any])
            },
            failure: { _, _ in
                completion(nil)
            })
    }
}
