import Foundation
import FoundationNetworking
import OperationNetworking

func commands(
    _ request: URLRequest, _ copied: String
) throws -> (shown: String, line: String, read: URLRequest) {
    // snippet: begin
    // Secrets are REDACTED, unless showingSecrets is true; then a shell sends the same request.
    let shown = request.curlCommand()
    // For a log that has one line for each request.
    let line = shown.replacing(" \\\n    ", with: " ")
    let read = try URLRequest(curlCommand: copied)
    // snippet: end
    return (shown, line, read)
}
