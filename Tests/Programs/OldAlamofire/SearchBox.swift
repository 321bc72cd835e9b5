import Alamofire

/// Each letter cancels the search of the one before it.
class SearchBox {
    private var request: Alamofire.Request?
    var found: [String] = []
    var cancelled = 0

    func search(_ url: String, _ text: String, completion: @escaping () -> Void) {
        request?.cancel()
        request = Alamofire.request(url, parameters: ["q": text]).responseString { response in
            if let error = response.error as? URLError, error.code == .cancelled {
                self.cancelled += 1
            } else if let error = response.error as NSError?, error.code == NSURLErrorCancelled {
                self.cancelled += 1
            } else {
                self.found.append(response.value ?? "")
            }
            completion()
        }
    }
}
