import Foundation
import FoundationNetworking
import OperationNetworking

/// Signs every request in the one place all of them pass.
final class SigningClient: HTTPRequestOperationManager, @unchecked Sendable {
    // @unchecked because its superclass is; it adds no variables.

    // snippet: begin
    override func httpRequestOperation(
        with request: URLRequest, success: Success?, failure: Failure?
    ) -> HTTPRequestOperation {
        var signed = request
        signed.setValue(
            "signature of \(request.url?.path ?? "")", forHTTPHeaderField: "X-Signature")
        return super.httpRequestOperation(with: signed, success: success, failure: failure)
    }
    // snippet: end
}
