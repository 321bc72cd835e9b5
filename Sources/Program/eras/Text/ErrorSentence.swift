import CurlConnection
import Foundation
import LoopbackServer
import OperationNetworking

/// What a sentence on an error may advise.
enum Advice: Sendable {
    /// The options of `fetch`, and the same command again, which continues.
    case fetch
    /// The options of `fetch`; the same command begins anew.
    case fetchAnew
    /// `--timeout`.
    case gallery
    case none

    fileprivate var hasFetchOptions: Bool { self == .fetch || self == .fetchAnew }
}

/// An error in one line.
enum ErrorSentence {
    static func text(for error: any Error) -> String { text(for: error, advice: .none) }

    static func text(for error: any Error, advice: Advice) -> String {
        switch error {
        case let error as URLError: oneLine(text(for: error, advice))
        case let error as DownloadError:
            oneLine(error.description + (advice.hasFetchOptions ? self.advice(for: error) : ""))
        case let error as ListError:
            oneLine(
                "\(error.description) "
                    + text(for: DownloadError.status(error.status), advice: advice))
        case let error as ResponseSerializationError: oneLine(error.localizedDescription)
        case let error as LoopbackServerError: oneLine(text(for: error))
        case let error as any CustomStringConvertible: oneLine(error.description)
        default: oneLine(error.localizedDescription)
        }
    }

    /// Advice on an error, with the options of `fetch`.
    private static func advice(for error: DownloadError) -> String {
        switch error {
        case .retryBudgetUsed(let error): advice(for: error)
        case .otherPart: " Use --force to replace it, or another directory with -o."
        case .changed: " Run the same command again."
        case .refused: " Use --force to fetch the file anew."
        case .otherFile: " Use --force to replace it, or another directory with -o."
        case .disk(_, _, let code): DiskError.advice(code)
        case .wrongHash: " Check the sum, or where the file comes from."
        case .status(401): " Give a user with -u or --netrc."
        case .status(407): " Give the proxy's user in its URL: --proxy http://user:password@host."
        case .status, .encodedPart, .wrongLength, .unusable: ""
        }
    }

    /// The first clause of a sentence on an error, for a short line.
    static func beginning(of sentence: String) -> String {
        let ends = ["; ", " (", ". "].compactMap { sentence.firstRange(of: $0)?.lowerBound }
        let clause = sentence[..<(ends.min() ?? sentence.endIndex)]
        return String(clause.last == "." ? clause.dropLast() : clause)
    }

    private static func text(for error: URLError, _ advice: Advice) -> String {
        let described = described(error)
        if let described, described.contains(/\b[Tt]he proxy\b/) {
            return described + (advice.hasFetchOptions ? " -x and --proxy-env choose it." : "")
        }
        if let sentence = plain[error.code] { return sentence }
        if let sentence = sentences[error.code] {
            return sentence + self.advice(for: error.code, advice) + "." + reason(of: error)
        }
        let isDistrusted = [.serverCertificateUntrusted, .userCancelledAuthentication]
            .contains(error.code)
        let sentence =
            described ?? "Loading failed (URL error \(error.errorCode))." + reason(of: error)
        return isDistrusted && advice.hasFetchOptions
            ? sentence + " --cacert names the authorities to trust." : sentence
    }

    /// The library's own sentence, without the names of its settings.
    private static func described(_ error: URLError) -> String? {
        let text = error.userInfo[NSLocalizedDescriptionKey] as? String
        return text?.replacing(/\ \((configuration|limits)\.\w+\)/, with: "")
    }

    /// The transport's own text, or else the library's, in parentheses.
    private static func reason(of error: URLError) -> String {
        let underlying = error.underlyingError as? CurlError
        return (underlying?.message ?? described(error)).map { " (\($0))" } ?? ""
    }

    private static func text(for error: LoopbackServerError) -> String {
        switch error {
        case .addressInUse(let port):
            "Port \(port) is in use; stop what listens there, or choose another with --port."
        case .system(_, let code):
            "The server could not start: \(String(cString: strerror(code)))."
        default: error.description
        }
    }

    /// Sentences without the underlying error, which names the library's settings.
    private static let plain: [URLError.Code: String] = [
        .badURL: "The request cannot be sent; check the address and the header fields.",
        .unsupportedURL: "Only http and https addresses can be used, also after a redirect.",
        .dataLengthExceedsMaximum:
            "The header of the server's response is too large, or a list or a coded body is.",
        .httpTooManyRedirects: "The server redirects too often; check the address.",
    ]

    /// Sentences without their full stop, which follows the advice.
    private static let sentences: [URLError.Code: String] = [
        .cancelled: "Interrupted",
        .timedOut: "It took too long",
        .cannotFindHost: "There is no host of that name; check the address",
        .cannotConnectToHost: "No server accepts connections at that address",
        .networkConnectionLost: "The connection broke off",
        .badServerResponse: "The server's response breaks the rules of HTTP",
        .cannotParseResponse: "The server's response is not HTTP",
        .secureConnectionFailed: "A secure connection could not be made",
    ]

    private static func advice(for code: URLError.Code, _ advice: Advice) -> String {
        switch (code, advice) {
        case (.cancelled, .fetch), (.networkConnectionLost, .fetch):
            "; run the same command again to continue"
        case (.timedOut, .fetch), (.timedOut, .fetchAnew):
            "; --timeout, --connect-timeout, --speed-limit and --max-time set the limits"
        case (.timedOut, .gallery): "; --timeout sets the limit"
        default: ""
        }
    }

    private static func oneLine(_ text: String) -> String {
        PrintableText.line(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
}
