import Foundation
import OperationNetworking

/// The result of one URL.
struct FetchResult: Sendable, Equatable {
    var index: Int
    var url: String
    var path: String?
    /// The size of the file, or of its part.
    var bytes: Int64?
    var sha256: String?
    /// From the enqueueing to the begin of the first try, or to the end without one, in milliseconds.
    var queuedMilliseconds: Double?
    /// From the begin of the first try to the end, in milliseconds.
    var wireMilliseconds: Double?
    /// The threads that called the redirect block, before the first request and for each redirect.
    var threads: Set<DeliveryThread> = []
    /// The size of the part before the last try.
    var resumedFrom: Int64?
    var error: String?
    /// The exit code for the failure.
    var failure: ExitCode?
    /// Bytes of the body that were received in all tries.
    var received: Int64 = 0
    /// Why the file that is there was kept; nil where it was fetched or failed.
    var kept: Kept?
    var isInterrupted = false
    /// The status of the last response.
    var status: Int?
    /// The URL of the last response, after redirects.
    var finalURL: String?
    /// When the file was finished.
    var ended = Date()

    /// Why a file is not fetched.
    enum Kept: String {
        /// An earlier run fetched it, or it has the sum given; there was no request.
        case kept
        /// The server has the same bytes, or says that the file has not changed.
        case same
        /// `--skip-existing`; nothing was compared.
        case skipped
    }

    var isKept: Bool { kept != nil }

    /// `fetched`, `kept`, `same`, `skipped`, `interrupted` or `failed`.
    var outcome: String {
        if isInterrupted { return "interrupted" }
        return error == nil ? kept?.rawValue ?? "fetched" : "failed"
    }

    mutating func fail(_ error: any Error, advice: Advice = .fetch) {
        self.error = ErrorSentence.text(for: error, advice: advice)
        failure = ExitCode(error)
        isInterrupted = failure == .interrupted
    }

    /// The names of the threads, usually one.
    var thread: String? {
        threads.isEmpty ? nil : Set(threads.map(\.name)).sorted().joined(separator: "+")
    }
}

/// A thread by name and identity.
struct DeliveryThread: Hashable, Sendable {
    var name: String
    var identity: ObjectIdentifier

    static var current: DeliveryThread {
        let thread = Thread.current
        return DeliveryThread(name: thread.name ?? "", identity: ObjectIdentifier(thread))
    }
}

extension FetchResult {
    /// One JSON object without a line end; the keys in the documented order.
    var jsonLine: String {
        let fields = [
            ("url", Self.json(ShownURL.text(url))), ("path", Self.json(path)),
            ("bytes", Self.json(bytes)),
            ("sha256", Self.json(sha256)),
            ("queued_ms", Self.json(Self.rounded(queuedMilliseconds))),
            ("wire_ms", Self.json(Self.rounded(wireMilliseconds))), ("thread", Self.json(thread)),
            ("resumed_from", Self.json(resumedFrom)), ("error", Self.json(error)),
            ("outcome", Self.json(outcome)), ("status", Self.json(status)),
            ("kind", Self.json(failure.map { "\($0)" })),
            ("final_url", Self.json(finalURL.map(ShownURL.text))),
            ("ended", Self.json(ended.formatted(.iso8601))),
        ]
        return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private static func rounded(_ value: Double?) -> Double? {
        value.map { ($0 * 1_000).rounded() / 1_000 }
    }

    private static func json(_ value: (some Encodable)?) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        let data = value.flatMap { try? encoder.encode($0) }
        return data.map { escaped(String(decoding: $0, as: UTF8.self)) } ?? "null"
    }

    /// Escapes DEL, U+0080 to U+009F and characters that change the direction of text, which JSON
    /// allows in strings, and which are dangerous on terminals.
    private static func escaped(_ json: String) -> String {
        guard json != PrintableText.line(json) else { return json }
        var text = ""
        for scalar in json.unicodeScalars {
            let isHarmless = PrintableText.line(String(scalar)) == String(scalar)
            let code = String(scalar.value, radix: 16)
            let zeros = String(repeating: "0", count: max(0, 4 - code.count))
            if isHarmless {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u\(zeros)\(code)"
            }
        }
        return text
    }
}

extension ExitCode {
    /// The code for a file's error.
    init(_ error: any Error) {
        switch error {
        case is DiskError: self = .disk
        case is ListError: self = .status
        case is OtherSum: self = .hash
        case let error as DownloadError: self.init(error)
        case let error as URLError: self.init(error.code)
        default: self = .failed
        }
    }

    private init(_ error: DownloadError) {
        switch error {
        case .status: self = .status
        case .disk: self = .disk
        case .wrongHash: self = .hash
        case .retryBudgetUsed(let error): self.init(error)
        case .refused, .encodedPart, .wrongLength, .otherFile, .unusable, .changed, .otherPart:
            self = .failed
        }
    }

    private init(_ code: URLError.Code) {
        switch code {
        case .cancelled: self = .interrupted
        case .timedOut: self = .timeout
        case .cannotFindHost, .dnsLookupFailed: self = .lookUp
        case .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet:
            self = .connection
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .clientCertificateRejected, .clientCertificateRequired,
            .appTransportSecurityRequiresSecureConnection,
            // A server that the policy refuses.
            .userCancelledAuthentication:
            self = .tls
        case .cannotWriteToFile, .cannotCreateFile, .cannotMoveFile, .cannotOpenFile: self = .disk
        default: self = .failed
        }
    }

    /// The code for several files: `interrupted` if one was, else the common one of their failures, or 1 for several.
    ///
    /// - Parameter loss: the code where standard output is incomplete; then other files were cancelled
    ///   because of it.
    static func of(_ results: [FetchResult], loss: ExitCode? = nil) -> ExitCode {
        var codes = Set(results.compactMap(\.failure))
        if let loss {
            codes.remove(.interrupted)
            codes.insert(loss)
        }
        if codes.contains(.interrupted) { return .interrupted }
        return codes.count > 1 ? .failed : codes.first ?? .success
    }
}

/// The error of an existing file that has another sum than the one given.
struct OtherSum: Error, CustomStringConvertible {
    let path: String

    var description: String {
        "\(path) is there already, and it has another sum than the one given. It was left as it is. "
            + "Use --force to replace it, or another directory with -o."
    }
}
