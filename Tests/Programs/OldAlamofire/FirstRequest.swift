import Alamofire

func firstRequest(_ server: String, _ completion: @escaping (Any?) -> Void) {
    // snippet: begin
    Alamofire.request("\(server)/get").responseJSON { response in
        print(response.request as Any)  // original URL request
        print(response.response as Any)  // URL response
        print(response.data as Any)  // server data
        print(response.result)  // result of response serialization

        if let JSON = response.result.value {
            print("JSON: \(JSON)")
        }
        completion(response.result.value)
    }
    // snippet: end
}
