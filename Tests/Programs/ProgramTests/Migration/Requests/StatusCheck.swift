import RequestEra

struct StatusCheck {
    // snippet: begin
    func check(_ url: String, completion: @escaping @Sendable (String) -> Void) {
        SessionManager.default.request(url)
            .validate(statusCode: 200..<300)
            .validate(contentType: ["application/json"])
            .responseData { response in
                switch response.result {
                case .success:
                    completion("Validation Successful")
                case .failure(let error):
                    completion("status \((error as? AFError)?.responseCode ?? 0)")
                }
            }
    }
    // snippet: end
}
