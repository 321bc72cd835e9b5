import Foundation
import FoundationNetworking
import OperationNetworking

func commands(_ request: URLRequest, _ copied: String) throws -> (String, URLRequest) {
    // snippet: begin
    // Secrets are REDACTED, unless showingSecrets is true; then a shell sends the same request.
    let shown = request.curlCommand()
    let read = try URLRequest(curlCommand: copied)
    // snippet: end
    return (shown, read)
}
