import CCurl
import Foundation
import FoundationNetworking
public import HTTPSemantics

/// A result code (`CURLcode`) of libcurl's easy interface, with libcurl's own number.
package struct CurlCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(_ code: CURLcode) {
        rawValue = code.rawValue
    }

    /// libcurl's own sentence for the code.
    package var text: String {
        curl_easy_strerror(CURLcode(rawValue: rawValue)).map { String(cString: $0) } ?? "unknown"
    }

    /// The number of codes this libcurl knows; they count up from 0.
    package static let count = CURL_LAST.rawValue

    package static let ok = CurlCode(CURLE_OK)
    package static let unsupportedProtocol = CurlCode(CURLE_UNSUPPORTED_PROTOCOL)
    package static let failedInit = CurlCode(CURLE_FAILED_INIT)
    static let couldntResolveProxy = CurlCode(CURLE_COULDNT_RESOLVE_PROXY)
    package static let couldntConnect = CurlCode(CURLE_COULDNT_CONNECT)
    package static let outOfMemory = CurlCode(CURLE_OUT_OF_MEMORY)
    package static let operationTimedOut = CurlCode(CURLE_OPERATION_TIMEDOUT)
    package static let partialFile = CurlCode(CURLE_PARTIAL_FILE)
    static let sslConnectError = CurlCode(CURLE_SSL_CONNECT_ERROR)
    static let gotNothing = CurlCode(CURLE_GOT_NOTHING)
    static let sendError = CurlCode(CURLE_SEND_ERROR)
    static let receiveError = CurlCode(CURLE_RECV_ERROR)
    /// Of a handle that has no connection: it has none yet, or has ended.
    static let badFunctionArgument = CurlCode(CURLE_BAD_FUNCTION_ARGUMENT)
    static let peerFailedVerification = CurlCode(CURLE_PEER_FAILED_VERIFICATION)
    static let http2 = CurlCode(CURLE_HTTP2)
    static let proxy = CurlCode(CURLE_PROXY)
}

/// A failure that libcurl reported: its code, its text and the operating system's error number.
///
/// As an `NSError` it has the domain `libcurl.easy` and libcurl's code; it is the underlying error of a
/// `URLError`.
public struct CurlError: NumberedError, Sendable {
    /// libcurl's code, as in `curl/curl.h`.
    public var code: Int { Int(result.rawValue) }
    /// libcurl's text for this failure, or the text of its code.
    public let message: String
    /// The operating system's error number, or 0.
    public let systemError: Int32

    package let result: CurlCode

    package init(_ result: CurlCode, message: String = "", systemError: Int32 = 0) {
        self.result = result
        self.message = message.isEmpty ? result.text : message.printable
        self.systemError = systemError
    }

    /// `libcurl.easy`.
    public static var errorDomain: String { "libcurl.easy" }

    package var numbered: (number: Int, sentence: String) { (code, message) }
    package var details: [String: Any] {
        systemError == 0 ? [:] : ["libcurl.systemError": Int(systemError)]
    }
}

extension CurlCode {
    /// Why a SOCKS proxy did not connect: a code, and the words that follow the proxy's address in the message.
    ///
    /// - Parameter number: one of libcurl's `CURLPX_` numbers.
    static func socksFailure(_ number: Int) -> (code: URLError.Code, words: String) {
        switch CURLproxycode(rawValue: UInt32(clamping: number)) {
        case CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_IDENTD_DIFFER:
            (.userAuthenticationRequired, "wants another login")
        case CURLPX_IDENTD:
            (.userAuthenticationRequired, "could not verify the user with identd")
        case CURLPX_RESOLVE_HOST:
            (.cannotFindHost, "needs the server's IP address, but the name could not be resolved")
        case CURLPX_CLOSED, CURLPX_RECV_ADDRESS, CURLPX_RECV_AUTH, CURLPX_RECV_CONNECT,
            CURLPX_RECV_REQACK, CURLPX_SEND_AUTH, CURLPX_SEND_CONNECT, CURLPX_SEND_REQUEST:
            (.networkConnectionLost, "closed the connection")
        case CURLPX_BAD_VERSION, CURLPX_BAD_ADDRESS_TYPE, CURLPX_UNKNOWN_MODE:
            (.cannotParseResponse, "does not speak SOCKS as expected")
        case CURLPX_REPLY_NOT_ALLOWED: (.cannotConnectToHost, "does not allow the server")
        case CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE,
            CURLPX_REPLY_TTL_EXPIRED, CURLPX_REPLY_CONNECTION_REFUSED:
            (.cannotConnectToHost, "could not reach the server")
        default: (.cannotConnectToHost, "made no connection to the server")
        }
    }
}

extension CurlCode {
    /// The `URLError` code for this result; `unknown` for those that are not listed, such as FTP's.
    var urlErrorCode: URLError.Code {
        switch CURLcode(rawValue: rawValue) {
        // libcurl is given only http and https URLs here, so this code means a response without a status line
        // (HTTP/0.9).
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
}

extension CurlError {
    /// The `URLError` code, chosen by libcurl's code and, for some codes, by `systemError` or `message` as well.
    var urlErrorCode: URLError.Code {
        switch result {
        // The server accepted the connection and then reset it, so it did not refuse it.
        case .couldntConnect where systemError == ECONNRESET: .networkConnectionLost
        // This machine has no route.
        case .couldntConnect where [ENETUNREACH, ENETDOWN].contains(systemError):
            .notConnectedToInternet
        // In TLS 1.3 this alert comes after the handshake, when libcurl already reads.
        case .receiveError where message.contains("alert certificate required"):
            .clientCertificateRequired
        default: result.urlErrorCode
        }
    }
}
