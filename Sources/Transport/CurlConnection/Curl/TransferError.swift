import EventRecorder
import Foundation
import FoundationNetworking

/// The one table from libcurl's result codes to Foundation's URL errors.
enum TransferError {
    /// The code of `URLError` that a failed exchange has.
    ///
    /// Codes of protocols other than HTTP are `unknown`. Schemes are checked before libcurl sees a
    /// URL, so its "unsupported protocol" can only mean a response that is not HTTP.
    static func code(for result: CurlCode) -> URLError.Code {
        codes[result.rawValue] ?? .unknown
    }

    /// The same, with the system's error number and libcurl's text. A server that resets a connection
    /// as soon as it is made has not refused it.
    static func code(for error: CurlError) -> URLError.Code {
        switch error.result.rawValue {
        case 7 where error.systemError == ECONNRESET: .networkConnectionLost
        // This machine has no route.
        case 7 where [ENETUNREACH, ENETDOWN].contains(error.systemError): .notConnectedToInternet
        // In TLS 1.3 this alert comes after the handshake, when libcurl already reads.
        case 56 where error.message.contains("alert certificate required"):
            .clientCertificateRequired
        default: code(for: error.result)
        }
    }

    private static let codes: [UInt32: URLError.Code] = [
        1: .cannotParseResponse,  // UNSUPPORTED_PROTOCOL: a response that is not HTTP
        2: .resourceUnavailable,  // FAILED_INIT
        3: .badURL,  // URL_MALFORMAT
        4: .unsupportedURL,  // NOT_BUILT_IN
        5: .cannotFindHost,  // COULDNT_RESOLVE_PROXY
        6: .cannotFindHost,  // COULDNT_RESOLVE_HOST
        7: .cannotConnectToHost,  // COULDNT_CONNECT
        8: .badServerResponse,  // WEIRD_SERVER_REPLY
        16: .badServerResponse,  // HTTP2
        18: .networkConnectionLost,  // PARTIAL_FILE
        22: .badServerResponse,  // HTTP_RETURNED_ERROR
        23: .cannotDecodeRawData,  // WRITE_ERROR
        26: .requestBodyStreamExhausted,  // READ_ERROR
        27: .dataLengthExceedsMaximum,  // OUT_OF_MEMORY: also a header line over 100 kB
        28: .timedOut,  // OPERATION_TIMEDOUT
        33: .badServerResponse,  // RANGE_ERROR
        35: .secureConnectionFailed,  // SSL_CONNECT_ERROR
        42: .cancelled,  // ABORTED_BY_CALLBACK
        43: .unknown,  // BAD_FUNCTION_ARGUMENT
        45: .cannotConnectToHost,  // INTERFACE_FAILED
        47: .httpTooManyRedirects,  // TOO_MANY_REDIRECTS
        52: .networkConnectionLost,  // GOT_NOTHING
        53: .secureConnectionFailed,  // SSL_ENGINE_NOTFOUND
        54: .secureConnectionFailed,  // SSL_ENGINE_SETFAILED
        55: .networkConnectionLost,  // SEND_ERROR
        56: .networkConnectionLost,  // RECV_ERROR
        58: .clientCertificateRejected,  // SSL_CERTPROBLEM
        59: .secureConnectionFailed,  // SSL_CIPHER
        60: .serverCertificateUntrusted,  // PEER_FAILED_VERIFICATION
        61: .cannotDecodeContentData,  // BAD_CONTENT_ENCODING
        63: .dataLengthExceedsMaximum,  // FILESIZE_EXCEEDED
        65: .requestBodyStreamExhausted,  // SEND_FAIL_REWIND
        66: .secureConnectionFailed,  // SSL_ENGINE_INITFAILED
        77: .secureConnectionFailed,  // SSL_CACERT_BADFILE
        80: .secureConnectionFailed,  // SSL_SHUTDOWN_FAILED
        82: .secureConnectionFailed,  // SSL_CRL_BADFILE
        83: .serverCertificateUntrusted,  // SSL_ISSUER_ERROR
        89: .cannotConnectToHost,  // NO_CONNECTION_AVAILABLE
        90: .serverCertificateUntrusted,  // SSL_PINNEDPUBKEYNOTMATCH
        91: .serverCertificateUntrusted,  // SSL_INVALIDCERTSTATUS
        92: .networkConnectionLost,  // HTTP2_STREAM
        95: .badServerResponse,  // HTTP3
        96: .cannotConnectToHost,  // QUIC_CONNECT_ERROR
        97: .cannotConnectToHost,  // PROXY
        98: .clientCertificateRequired,  // SSL_CLIENTCERT
        99: .resourceUnavailable,  // UNRECOVERABLE_POLL
        100: .dataLengthExceedsMaximum,  // TOO_LARGE: also a header line over 100 kB
        101: .secureConnectionFailed,  // ECH_REQUIRED
    ]
}
