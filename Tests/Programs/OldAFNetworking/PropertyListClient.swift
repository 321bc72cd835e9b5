import AFNetworking

class PropertyListClient {
    let manager = AFHTTPRequestOperationManager()

    init() {
        manager.requestSerializer = AFPropertyListRequestSerializer(format: .xml, writeOptions: 0)
        manager.responseSerializer = AFPropertyListResponseSerializer()
        manager.requestSerializer.timeoutInterval = 10
        manager.requestSerializer.cachePolicy = .reloadIgnoringLocalCacheData
        manager.completionQueue = DispatchQueue(label: "lists")
    }

    func exchange(_ url: String, list: NSDictionary, completion: @escaping (NSDictionary?) -> Void)
    {
        manager.post(
            url, parameters: list,
            success: { (operation, responseObject) in
                completion(responseObject as? NSDictionary)
            },
            failure: { (operation, error) in
                completion(nil)
            })
    }
}
