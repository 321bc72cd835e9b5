import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking

func guarded(_ url: URL) -> HTTPRequestOperation {
    // snippet: begin
    let operation = HTTPRequestOperation(request: URLRequest(url: url))
    operation.setRedirectResponseBlock { _, request, response in
        // The first request has no response; nil refuses a redirect, which is the answer then.
        response == nil || request.url?.host == url.host ? request : nil
    }
    // snippet: end
    return operation
}
