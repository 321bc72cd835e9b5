import RequestEra

struct Forms {
    let server: String

    // snippet: begin
    func order(_ tea: Int, completion: @escaping @Sendable (Int?) -> Void) {
        let parameters: Parameters = ["tea": tea, "express": true, "tags": ["a", "b"]]
        SessionManager.default.request(
            "\(server)/post", method: .post, parameters: parameters,
            encoding: JSONEncoding.default
        ).responseJSON { response in
            let json = (response.value as? [String: Any])?["json"] as? [String: Any]
            completion(json?["tea"] as? Int)
        }
    }
    // snippet: end
}
