// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

/// Signs every request in the one place all of them pass.
class SigningClient: AFHTTPRequestOperationManager {
    // snippet: begin
    override func httpRequestOperation(
        with request: URLRequest, success: ((AFHTTPRequestOperation, Any?) -> Void)?,
        failure: ((AFHTTPRequestOperation, Error) -> Void)?
    ) -> AFHTTPRequestOperation {
        var signed = request
        signed.setValue("signature of \(request.url!.path)", forHTTPHeaderField: "X-Signature")
        return super.httpRequestOperation(with: signed, success: success, failure: failure)
    }
    // snippet: end
}
