import AFNetworking

class SharedQueue {
    static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        return queue
    }()

    class func manager(_ baseURL: URL) -> AFHTTPRequestOperationManager {
        let manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        manager.operationQueue = queue
        manager.responseSerializer = AFHTTPResponseSerializer()
        return manager
    }
}
