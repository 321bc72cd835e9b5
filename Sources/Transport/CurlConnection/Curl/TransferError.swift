import CCurl
import Foundation
import FoundationNetworking

/// Foundation's URL errors for libcurl's result codes.
enum TransferError {
    /// `unknown` for codes that only other protocols than HTTP have.
    static func code(for result: CurlCode) -> URLError.Code {
        switch CURLcode(rawValue: result.rawValue) {
        // Schemes are checked before libcurl sees a URL, so the response is not HTTP.
        case CURLE_UNSUPPORTED_PROTOCOL: .cannotParseResponse
        case CURLE_FAILED_INIT, CURLE_UNRECOVERABLE_POLL: .resourceUnavailable
        case CURLE_URL_MALFORMAT: .badURL
        case CURLE_NOT_BUILT_IN: .unsupportedURL
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST: .cannotFindHost
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_NO_CONNECTION_AVAILABLE,
            CURLE_QUIC_CONNECT_ERROR, CURLE_PROXY:
            .cannotConnectToHost
        case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP_RETURNED_ERROR, CURLE_RANGE_ERROR,
            CURLE_HTTP3:
            .badServerResponse
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
            CURLE_HTTP2_STREAM:
            .networkConnectionLost
        case CURLE_WRITE_ERROR: .cannotDecodeRawData
        case CURLE_READ_ERROR, CURLE_SEND_FAIL_REWIND: .requestBodyStreamExhausted
        // Out of memory, and TOO_LARGE (100) of later versions, also mean a header line over 100 kB.
        case CURLE_OUT_OF_MEMORY, CURLE_FILESIZE_EXCEEDED, CURLcode(rawValue: 100):
            .dataLengthExceedsMaximum
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        // 101 is ECH_REQUIRED of later versions.
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLcode(rawValue: 101):
            .secureConnectionFailed
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        case CURLE_TOO_MANY_REDIRECTS: .httpTooManyRedirects
        case CURLE_SSL_CERTPROBLEM: .clientCertificateRejected
        case CURLE_SSL_CLIENTCERT: .clientCertificateRequired
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS:
            .serverCertificateUntrusted
        case CURLE_BAD_CONTENT_ENCODING: .cannotDecodeContentData
        default: .unknown
        }
    }

    /// Returns the code for an error of libcurl, also by the system's error number and by libcurl's text.
    static func code(for error: CurlError) -> URLError.Code {
        switch error.result {
        // A server that resets a new connection at once has not refused it.
        case .couldntConnect where error.systemError == ECONNRESET: .networkConnectionLost
        // This machine has no route.
        case .couldntConnect where [ENETUNREACH, ENETDOWN].contains(error.systemError):
            .notConnectedToInternet
        // In TLS 1.3 this alert comes after the handshake, when libcurl already reads.
        case .receiveError where error.message.contains("alert certificate required"):
            .clientCertificateRequired
        default: code(for: error.result)
        }
    }
}
