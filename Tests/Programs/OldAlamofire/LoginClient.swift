import Alamofire
import Foundation

class LoginClient {
    let server: String

    init(server: String) {
        self.server = server
    }

    func logIn(user: String, password: String, completion: @escaping (Int?) -> Void) {
        Alamofire.request("\(server)/basic-auth/ann/secret")
            .authenticate(user: user, password: password)
            .responseJSON { response in
                completion(response.response?.statusCode)
            }
    }

    func logInWithDigest(completion: @escaping (Int?) -> Void) {
        let credential = URLCredential(user: "ann", password: "secret", persistence: .none)
        Alamofire.request("\(server)/digest-auth/auth/ann/secret")
            .authenticate(usingCredential: credential)
            .response { completion($0.response?.statusCode) }
    }

    func logInAtOnce(completion: @escaping (Int?) -> Void) {
        Alamofire.request(
            "\(server)/basic-auth/ann/secret", headers: headerOf(user: "ann", password: "secret")
        ).response { completion($0.response?.statusCode) }
    }
}
