import Alamofire

/// What programs print while they are made.
class Printing {
    func timeline(_ url: String, completion: @escaping (Timeline, String) -> Void) {
        let request = Alamofire.request(url)
        print(request)
        request.responseJSON { response in
            print(response.timeline)
            completion(response.timeline, request.description)
        }
    }

    func curl(_ url: String) -> String {
        let request = Alamofire.request(url, parameters: ["place": "Bath"])
        debugPrint(request)
        return request.debugDescription
    }
}
