import AFNetworking

class OrderSender {
    let manager = AFHTTPRequestOperationManager()

    func sendAsForm(_ url: String, done: @escaping () -> Void) {
        manager.post(
            url, parameters: ["b": 2, "a": 1],
            success: { (operation: AFHTTPRequestOperation!, responseObject: Any!) -> Void in
                done()
            },
            failure: { (operation: AFHTTPRequestOperation!, error: Error!) -> Void in
                done()
            })
    }

    func sendAsJSON(_ url: String, done: @escaping () -> Void) {
        // snippet: begin
        manager.requestSerializer = AFJSONRequestSerializer()
        manager.requestSerializer.setValue("secret", forHTTPHeaderField: "X-Api-Key")
        manager.post(
            url, parameters: ["b": 2, "a": 1],
            success: { (operation, responseObject) -> Void in
                done()
            }
        ) { (operation, error) -> Void in
            done()
        }
        // snippet: end
    }
}
