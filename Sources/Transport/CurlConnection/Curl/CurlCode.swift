import CCurl
import Foundation
public import HTTPSemantics

/// A result of libcurl's easy interface, under libcurl's own name and number.
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
    /// Why a SOCKS proxy made no connection: a code, and a sentence's words after the proxy.
    ///
    /// - Parameter number: one of libcurl's `CURLPX_` numbers.
    static func socksFailure(_ number: Int) -> (code: URLError.Code, words: String) {
        switch CURLproxycode(rawValue: UInt32(clamping: number)) {
        case CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_IDENTD, CURLPX_IDENTD_DIFFER:
            (.userAuthenticationRequired, "wants another login")
        case CURLPX_RESOLVE_HOST:
            (.cannotFindHost, "needs the server's address, which was not found")
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
