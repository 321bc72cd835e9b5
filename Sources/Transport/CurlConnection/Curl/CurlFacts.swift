import CCurl

// What libcurl counted in an exchange.

extension CurlEasyHandle {
    /// How many connections libcurl made for it; 0 where it used a kept one.
    var connectionsMade: Int { long(CURLINFO_NUM_CONNECTS) }

    /// Whether libcurl still has the connection that it used last.
    var hasConnection: Bool { ccurl_easy_get_socket(pointer) != CURL_SOCKET_BAD }

    /// Bytes of the body that libcurl has written to the socket.
    var uploadedBytes: Int64 { offset(CURLINFO_SIZE_UPLOAD_T) }

    /// The status of the response to CONNECT, or 0.
    var connectStatus: Int { long(CURLINFO_HTTP_CONNECTCODE) }

    /// Why a SOCKS proxy refused, as one of libcurl's `CURLPX_` numbers.
    var proxyError: Int { long(CURLINFO_PROXY_ERROR) }

    /// Bytes of all requests that it was used for, without their bodies.
    var requestBytes: Int64 {
        let all = Int64(long(CURLINFO_REQUEST_SIZE))
        return CurlGlobal.countsBodiesInRequests ? max(0, all - uploadedBytes) : all
    }
}

/// Why a SOCKS proxy made no connection, from libcurl's `CURLPX_` numbers.
enum CurlProxyFault {
    case login, host, closed, protocolFault, notAllowed, unreachable, other

    init(_ number: Int) {
        self =
            switch CURLproxycode(rawValue: UInt32(clamping: number)) {
            case CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_IDENTD, CURLPX_IDENTD_DIFFER: .login
            case CURLPX_RESOLVE_HOST: .host
            case CURLPX_CLOSED, CURLPX_RECV_ADDRESS, CURLPX_RECV_AUTH, CURLPX_RECV_CONNECT,
                CURLPX_RECV_REQACK, CURLPX_SEND_AUTH, CURLPX_SEND_CONNECT, CURLPX_SEND_REQUEST:
                .closed
            case CURLPX_BAD_VERSION, CURLPX_BAD_ADDRESS_TYPE, CURLPX_UNKNOWN_MODE: .protocolFault
            case CURLPX_REPLY_NOT_ALLOWED: .notAllowed
            case CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE,
                CURLPX_REPLY_TTL_EXPIRED, CURLPX_REPLY_CONNECTION_REFUSED:
                .unreachable
            default: .other
            }
    }
}
