import AFNetworking

func loadOnce(_ url: URL, _ completion: @escaping (Any?, Error?) -> Void) -> AFHTTPRequestOperation
{
    // snippet: begin
    let request = URLRequest(url: url)
    let operation = AFHTTPRequestOperation(request: request)
    operation.responseSerializer = AFJSONResponseSerializer()
    operation.setCompletionBlockWithSuccess(
        { (operation, responseObject) in
            completion(responseObject, nil)
        },
        failure: { (operation, error) in
            completion(nil, error)
        })
    operation.start()
    // snippet: end
    return operation
}
