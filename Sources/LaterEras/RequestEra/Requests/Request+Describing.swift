import EventRecorder
import Foundation
import FoundationNetworking
import Locking
import SessionTasks

extension Request: CustomStringConvertible, CustomDebugStringConvertible {
    /// Method, URL and the status, each where there is one.
    public var description: String {
        let request = request
        var words: [String] = []
        if let method = request?.httpMethod { words.append(method) }
        if let url = request?.url { words.append(Redaction.address(url.absoluteString)) }
        if let response { words.append("(\(response.statusCode))") }
        return words.joined(separator: " ")
    }

    /// The request as a command of curl for a shell, without secrets.
    public var debugDescription: String { curl.text() }

    /// The request as a command of curl for a shell.
    ///
    /// - Parameter showingSecrets: whether passwords, cookies and other secrets are in it.
    public func cURLDescription(showingSecrets: Bool = false) -> String {
        curl.text(showingSecrets: showingSecrets)
    }

    var curl: CurlCommand {
        let configuration = taskSession.configuration
        var command = CurlCommand(request: request)
        command.additionalHeaders = configuration.httpAdditionalHeaders ?? [:]
        if let url = request?.url, let host = url.host {
            if let storage = configuration.urlCredentialStorage {
                let space = URLProtectionSpace(
                    host: host, port: url.port ?? 0, protocol: url.scheme, realm: host,
                    authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
                if let stored = storage.credentials(for: space)?.values, !stored.isEmpty {
                    command.credentials = Array(stored)
                } else if let credential = state.withLock({ $0.credential }) {
                    command.credentials = [credential]
                }
            }
            if configuration.httpShouldSetCookies {
                command.cookies = configuration.httpCookieStorage?.cookies(for: url) ?? []
            }
        }
        return command
    }
}
