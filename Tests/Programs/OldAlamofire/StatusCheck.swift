import Alamofire

class StatusCheck {
    // snippet: begin
    func check(_ url: String, completion: @escaping (String) -> Void) {
        Alamofire.request(url)
            .validate(statusCode: 200..<300)
            .validate(contentType: ["application/json"])
            .responseData { response in
                switch response.result {
                case .success:
                    completion("Validation Successful")
                case .failure(let error):
                    let code = (error as? AFError)?.responseCode
                    completion("status \(code ?? 0)")
                }
            }
    }
    // snippet: end

    func checkSimply(_ url: String, completion: @escaping (Bool) -> Void) {
        Alamofire.request(url).validate().responseJSON { response in
            switch response.result {
            case .success: completion(true)
            case .failure(let error):
                print(error)
                completion(false)
            }
        }
    }

    func checkBody(_ url: String, completion: @escaping (Error?) -> Void) {
        Alamofire.request(url)
            .validate { request, response, data in
                guard let data = data, !data.isEmpty else {
                    return .failure(EmptyBody())
                }
                return .success
            }
            .response { completion($0.error) }
    }

    struct EmptyBody: Error {}
}
