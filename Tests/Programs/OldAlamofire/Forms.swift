// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry
import Alamofire

/// The encodings of parameters, one after the other.
struct Forms {
    let server: String

    // snippet: begin
    func order(_ tea: Int, completion: @escaping ([String: Any]?) -> Void) {
        let parameters: Parameters = ["tea": tea, "express": true, "tags": ["a", "b"]]
        Alamofire.request(
            "\(server)/post", method: .post, parameters: parameters,
            encoding: JSONEncoding.default
        ).responseJSON { response in
            completion((response.result.value as? [String: Any])?["json"] as? [String: Any])
        }
    }
    // snippet: end

    func query(_ completion: @escaping (String?) -> Void) {
        let parameters: Parameters = ["place": "Bath"]
        Alamofire.request("\(server)/get", parameters: parameters)
        Alamofire.request("\(server)/get", parameters: parameters, encoding: URLEncoding.default)
        Alamofire.request(
            "\(server)/get", parameters: parameters,
            encoding: URLEncoding(destination: .methodDependent)
        ).response { completion($0.request?.url?.query) }
    }

    func nested(_ completion: @escaping ([String: Any]?) -> Void) {
        let parameters: Parameters = [
            "name": "ann",
            "tags": ["a", 1],
            "size": ["width": 2, "height": 3],
        ]
        Alamofire.request(
            "\(server)/post", method: .post, parameters: parameters, encoding: URLEncoding.httpBody
        ).responseJSON { response in
            completion((response.result.value as? [String: Any])?["form"] as? [String: Any])
        }
    }

    func queryOfAPost(_ completion: @escaping (String?) -> Void) {
        let encoding = URLEncoding(
            destination: .queryString, arrayEncoding: .noBrackets, boolEncoding: .literal)
        Alamofire.request(
            "\(server)/post", method: .post, parameters: ["a": [1, 2], "b": false],
            encoding: encoding
        ).response { completion($0.request?.url?.query) }
    }

    func propertyList(_ completion: @escaping (String?) -> Void) {
        Alamofire.request(
            "\(server)/post", method: .post, parameters: ["a": 1],
            encoding: PropertyListEncoding.xml
        ).responseJSON { response in
            completion((response.result.value as? [String: Any])?["data"] as? String)
        }
    }

    func byHand() throws -> String? {
        var urlRequest = URLRequest(url: URL(string: "\(server)/get")!)
        urlRequest.timeoutInterval = 5
        let encoded = try URLEncoding.queryString.encode(urlRequest, with: ["a": "b c"])
        return encoded.url?.query
    }
}
