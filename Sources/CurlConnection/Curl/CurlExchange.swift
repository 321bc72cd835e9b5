import CCurl
import Foundation

/// One exchange as libcurl calls it; each method runs inside a call of `CurlMultiHandle`'s.
///
/// A base class: libcurl carries one pointer, which must lead to the object without a search. What
/// is not overridden refuses.
///
/// ## Concurrency
/// Call from: the thread of the multi handle. Lock: none.
class CurlExchange {
    /// Before libcurl looks a name up; false ends the exchange.
    func mayLookUp() -> Bool { false }

    /// On a connection that stands, before each request; false ends the exchange.
    func mayRequest(remoteAddress: String, remotePort: Int32, localPort: Int32) -> Bool { false }

    /// A line of a head or of trailers, its end included; false ends the exchange.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool { false }

    /// Bytes of the body.
    func receive(_ bytes: UnsafeRawBufferPointer) -> CurlReception { .refuse }

    /// Asks for bytes of the request's body.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlSupply { .abort }

    /// Has the request's body begin again; false ends the exchange.
    func seek(to offset: Int64) -> Bool { false }

    /// With OpenSSL's context, before each handshake; false ends the exchange.
    func setUp(tls context: OpaquePointer) -> Bool { false }

    /// libcurl is done with the exchange.
    func ended(with result: CurlCode) {}
}

/// What became of received bytes.
enum CurlReception {
    case taken
    /// libcurl keeps them and gives them again when it is unpaused.
    case pause
    /// The exchange ends.
    case refuse
}

/// What there is of a request's body.
enum CurlSupply {
    /// So many; 0 is the end.
    case bytes(Int)
    /// None now; libcurl asks again when it is unpaused.
    case pause
    /// The exchange ends.
    case abort
}

/// Who hears of libcurl's sockets; a base class, as `CurlExchange` is.
///
/// ## Concurrency
/// Call from: the thread of the multi handle. Lock: none.
class CurlSockets {
    /// libcurl has opened a socket for a connection.
    func adopt(_ socket: Int32) {}
    /// libcurl is about to close a socket.
    func forget(_ socket: Int32) {}
}

extension CurlEasyHandle {
    /// Has libcurl call an exchange, which must outlive its time on a multi handle.
    func setCallbacks(
        of exchange: CurlExchange, hasTLS: Bool, hasBody: Bool
    ) throws(CurlError) {
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        try set(CURLOPT_PRIVATE, to: context)
        try set(CURLOPT_RESOLVER_START_DATA, to: context)
        try setLookUp { _, _, context in carried(context)?.mayLookUp() == true ? 0 : 1 }
        try set(CURLOPT_PREREQDATA, to: context)
        try setPrerequest { context, address, _, port, localPort in
            carried(context)?.mayRequest(
                remoteAddress: address.map { String(cString: $0) } ?? "", remotePort: port,
                localPort: localPort) == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        try set(CURLOPT_HEADERDATA, to: context)
        try set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return carried(context)?.receiveHeader(line) == true ? line.count : 0
        }
        try set(CURLOPT_WRITEDATA, to: context)
        try set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
            switch carried(context)?.receive(bytes) {
            case .taken: return bytes.count
            case .pause: return Int(ccurl_write_pause)
            case .refuse, nil: return 0
            }
        }
        if hasTLS {
            try set(CURLOPT_SSL_CTX_DATA, to: context)
            try setTLSContext { _, tls, context in
                guard let tls, let exchange = carried(context) else {
                    return CURLE_SSL_CONNECT_ERROR
                }
                return exchange.setUp(tls: OpaquePointer(tls)) ? CURLE_OK : CURLE_SSL_CERTPROBLEM
            }
        }
        if hasBody { try setBodyCallbacks(context) }
    }

    private func setBodyCallbacks(_ context: UnsafeMutableRawPointer) throws(CurlError) {
        try set(CURLOPT_READDATA, to: context)
        try set(CURLOPT_READFUNCTION) { bytes, size, count, context in
            let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
            switch carried(context)?.read(into: buffer) {
            case .bytes(let count): return count
            case .pause: return Int(ccurl_read_pause)
            case .abort, nil: return Int(ccurl_read_abort)
            }
        }
        try set(CURLOPT_SEEKDATA, to: context)
        try setSeek { context, offset, _ in
            carried(context)?.seek(to: Int64(offset)) == true
                ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
    }

    /// Has somebody hear of the sockets, who must outlive the connections made for this exchange.
    func setSockets(_ sockets: CurlSockets) throws(CurlError) {
        let context = Unmanaged.passUnretained(sockets).toOpaque()
        try set(CURLOPT_CLOSESOCKETDATA, to: context)
        try setCloseSocket { context, socket in
            // The kernel gives the number to the next socket at once.
            listener(context)?.forget(socket)
            return close(socket)
        }
        try setOpenSocket()
        try set(CURLOPT_SOCKOPTDATA, to: context)
        try setNewSocket { context, socket, _ in
            listener(context)?.adopt(socket)
            return Int32(CURL_SOCKOPT_OK)
        }
    }
}

private func carried(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
    context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
}

private func listener(_ context: UnsafeMutableRawPointer?) -> CurlSockets? {
    context.map { Unmanaged<CurlSockets>.fromOpaque($0).takeUnretainedValue() }
}
