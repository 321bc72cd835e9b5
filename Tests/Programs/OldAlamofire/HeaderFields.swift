import Alamofire

func seenHeaders(_ server: String, completion: @escaping ([String: String]) -> Void) {
    let headers: HTTPHeaders = [
        "Authorization": "Token 1234",
        "Accept": "application/json",
    ]

    Alamofire.request("\(server)/headers", headers: headers).responseJSON { response in
        let json = response.result.value as? [String: Any]
        completion(json?["headers"] as? [String: String] ?? [:])
    }
}

func headerOf(user: String, password: String) -> HTTPHeaders {
    var headers: HTTPHeaders = [:]
    if let authorizationHeader = Request.authorizationHeader(user: user, password: password) {
        headers[authorizationHeader.key] = authorizationHeader.value
    }
    return headers
}
