import AFNetworking

// snippet: begin
class WeatherClient: AFHTTPRequestOperationManager {
    static let sharedInstance = WeatherClient(baseURL: URL(string: "http://api.example.com/v1/"))

    func forecast(city: String, completion: @escaping (String?, Error?) -> Void) {
        get(
            "forecast", parameters: ["city": city],
            success: { (operation, responseObject) in
                let json = responseObject as? [String: Any]
                completion(json?["summary"] as? String, nil)
            },
            failure: { (operation, error) in
                completion(nil, error)
            })
    }
}
// snippet: end
