import Foundation
import FoundationNetworking
import OperationNetworking

extension ExitCode {
    /// Pure: the code for what a file failed with.
    init(_ error: any Error) {
        switch error {
        case is DiskError: self = .disk
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
        case .refused, .encodedPart, .wrongLength, .otherFile, .unusable: self = .failed
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

    /// Pure: the code for several files: that of their failures where it is one, else 1.
    static func of(_ results: [FetchResult]) -> ExitCode {
        if results.contains(where: \.isInterrupted) { return .interrupted }
        let codes = Set(results.compactMap(\.failure))
        return codes.count > 1 ? .failed : codes.first ?? .success
    }
}
