import Foundation
import LoopbackServer
import Testing

/// Where the requests of a program go.
enum ExamHost: Sendable, CustomTestStringConvertible {
    /// The server of this package, with httpbin's paths.
    case loopback
    /// An httpbin that runs already.
    case httpbin(URL)

    static let environmentVariable = "HTTPBIN_URL"

    /// The address in the environment, if there is one.
    static let httpbinURL = ProcessInfo.processInfo.environment[environmentVariable].flatMap {
        URL(string: $0.hasSuffix("/") ? $0 : $0 + "/")
    }

    /// Every host there is; for programs that need nothing that httpbin lacks.
    static let all: [ExamHost] = [.loopback] + (httpbinURL.map { [.httpbin($0)] } ?? [])

    var testDescription: String {
        switch self {
        case .loopback: "loopback"
        case .httpbin: "httpbin"
        }
    }
}
