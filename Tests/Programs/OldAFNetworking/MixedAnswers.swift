import AFNetworking

/// Some of this server's answers are JSON, some property lists, some plain.
class MixedAnswers {
    let manager: AFHTTPRequestOperationManager

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        let json = AFJSONResponseSerializer()
        json.removesKeysWithNullValues = true
        let list = AFPropertyListResponseSerializer(format: .xml, readOptions: [])
        manager.responseSerializer = AFCompoundResponseSerializer.compoundSerializer(
            withResponseSerializers: [json, list, AFHTTPResponseSerializer()])
    }

    func load(_ path: String, completion: @escaping (String) -> Void) {
        manager.get(
            path, parameters: nil,
            success: { (operation, responseObject) in
                if let dictionary = responseObject as? NSDictionary {
                    completion("dictionary of \(dictionary.count)")
                } else if let data = responseObject as? Data {
                    completion("\(data.count) bytes")
                } else {
                    completion("nothing")
                }
            },
            failure: { (operation, error) in
                completion("error")
            })
    }
}
