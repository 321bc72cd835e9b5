import Foundation

/// Why a text is not a curl command that describes one request.
///
/// As an `NSError` it has the domain `OperationNetworking.curl-command`; later versions keep its codes. It
/// never contains a value of the command, since that may be a secret.
public struct CurlCommandError: NumberedError, Hashable, Sendable {
    /// What was wrong.
    public enum Reason: Int, Hashable, Sendable {
        /// The first word is not `curl`.
        case notCurl = 1
        /// A quote is not closed.
        case openQuote = 2
        /// A shell would do more than split words: run another command, read a file, or expand a
        /// variable.
        case needsShell = 3
        /// The escape after a backslash is not valid.
        case badEscape = 4
        /// curl has no such option, or this reader does not know it.
        case unknownOption = 5
        /// An option has no value, or one that it does not take.
        case badValue = 6
        /// The option reads a file, which is not done here.
        case readsFile = 7
        /// A request alone cannot express the option; see the configuration.
        case notOfARequest = 8
        /// There is no address, or more than one.
        case oneAddress = 9
        /// The address, the method or a field cannot be sent.
        case badRequest = 10
    }

    /// What was wrong.
    public let reason: Reason
    /// The option or character that was found; empty where there is none.
    public let word: String

    init(_ reason: Reason, _ word: String = "") {
        self.reason = reason
        self.word = word.printable
    }

    /// `OperationNetworking.curl-command`.
    public static var errorDomain: String { "OperationNetworking.curl-command" }

    package var numbered: (number: Int, sentence: String) { (reason.rawValue, sentence) }

    private var sentence: String {
        switch reason {
        case .notCurl: "The command does not begin with \"curl\"."
        case .openQuote: "The quote \(word) is not closed."
        case .needsShell: "Only a shell can run this command, because it contains \(word)."
        case .badEscape: "The escape \(word) is followed by no valid character."
        case .unknownOption: "The option \(word) is not known here."
        case .badValue: "The value of the option \(word) is missing or not valid."
        case .readsFile: "The option \(word) reads a file, which is not done here."
        case .notOfARequest:
            "The option \(word) is about the connection; set it in URLConnectionConfiguration."
        case .oneAddress: "The command must have exactly one address."
        case .badRequest: "The request of the command cannot be sent: \(word)"
        }
    }
}
