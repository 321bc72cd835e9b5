import Foundation
import FoundationNetworking
import OperationNetworking

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

    /// The code for several files: the common one of their failures, or else 1.
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
