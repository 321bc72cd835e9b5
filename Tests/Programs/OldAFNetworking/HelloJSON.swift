// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

func helloJSON(_ baseURL: URL, _ completion: @escaping (String) -> Void) {
    // snippet: begin
    let manager = AFHTTPRequestOperationManager(baseURL: baseURL)
    manager.get(
        "get", parameters: ["foo": "bar"],
        success: { (operation: AFHTTPRequestOperation, responseObject: Any) in
            let args = responseObject as! NSDictionary
            completion("JSON: \(args["foo"]!)")
        },
        failure: { (operation: AFHTTPRequestOperation?, error: Error) in
            completion("Error: \(error.localizedDescription)")
        })
    // snippet: end
}
