import Alamofire

/// One call of each verb, counted.
class VerbClient {
    let baseURL: String
    var methods: [String] = []

    init(baseURL: String) {
        self.baseURL = baseURL
    }

    func run(completion: @escaping ([String]) -> Void) {
        let verbs: [HTTPMethod] = [.get, .post, .put, .patch, .delete]
        var left = verbs.count
        for method in verbs {
            let url = baseURL + "/" + method.rawValue.lowercased()
            Alamofire.request(url, method: method).responseJSON { [weak self] response in
                guard let strongSelf = self else { return }
                if response.result.isSuccess {
                    strongSelf.methods.append(response.request?.httpMethod ?? "")
                }
                left -= 1
                if left == 0 { completion(strongSelf.methods.sorted()) }
            }
        }
    }

    func exists(_ path: String, completion: @escaping (Bool) -> Void) {
        request(baseURL + path, method: .head).response { response in
            completion(response.response?.statusCode == 200)
        }
    }
}
