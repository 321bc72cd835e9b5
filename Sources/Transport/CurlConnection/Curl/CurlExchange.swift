import CCurl
import Foundation

/// What libcurl calls for one exchange, inside a call of `CurlMultiHandle`; `ended` is called outside of one.
///
/// ## Concurrency
/// Call from: the thread of the multi handle. Lock: none.
protocol CurlExchange: AnyObject {
    /// Before libcurl looks a name up; false ends the exchange.
    func mayLookUp() -> Bool
    /// libcurl has opened a socket for the exchange and is about to connect.
    func connects()
    /// libcurl stops waiting for a socket that it has opened for the exchange, or closes it.
    func givesUpSocket()
    /// The connection is made, and a request is about to be sent; false ends the exchange.
    ///
    /// - Parameter localAddress: this machine's, as a number.
    func mayRequest(on ends: ConnectionEnds, from localAddress: String) -> Bool
    /// A line of a header or of trailers, its end included; false ends the exchange.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool
    /// Bytes of the body.
    func receive(_ bytes: UnsafeRawBufferPointer) -> CurlReception
    /// Fills a buffer with bytes of the request's body.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlSupply
    /// Rewinds the request's body; false ends the exchange.
    func seek(to offset: Int64) -> Bool
    /// With OpenSSL's context, before each handshake; false ends the exchange.
    func setUp(tls context: OpaquePointer) -> Bool
    /// libcurl is done with the exchange.
    func ended(with result: CurlCode)
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
    /// How many bytes; 0 is the end.
    case bytes(Int)
    /// None now; libcurl asks again when it is unpaused.
    case pause
    /// The exchange ends.
    case abort
}

extension CurlEasyHandle {
    /// Has libcurl call an exchange, which must exist for as long as the handle is on a multi handle.
    ///
    /// libcurl's one pointer is this handle, which refers to the exchange.
    func setCallbacks(
        of exchange: any CurlExchange, hasTLS: Bool, hasBody: Bool
    ) throws(CurlError) {
        self.exchange = exchange
        let context = Unmanaged.passUnretained(self).toOpaque()
        try set(CURLOPT_PRIVATE, to: context)
        try set(CURLOPT_RESOLVER_START_DATA, to: context)
        try check(
            ccurl_easy_set_resolver_callback(pointer) { _, _, context in
                callBack(context) { $0.mayLookUp() } == true ? 0 : 1
            }, CURLOPT_RESOLVER_START_FUNCTION)
        try set(CURLOPT_PREREQDATA, to: context)
        try check(
            ccurl_easy_set_prerequest_callback(pointer) {
                context, address, local, port, localPort in
                let ends = ConnectionEnds(
                    localPort: localPort, remotePort: port,
                    remoteAddress: address.map { String(cString: $0) } ?? "")
                let localAddress = local.map { String(cString: $0) } ?? ""
                let mayRequest = callBack(context) { $0.mayRequest(on: ends, from: localAddress) }
                return mayRequest == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, CURLOPT_PREREQFUNCTION)
        try set(CURLOPT_HEADERDATA, to: context)
        try set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return callBack(context) { $0.receiveHeader(line) } == true ? line.count : 0
        }
        try set(CURLOPT_WRITEDATA, to: context)
        try set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
            switch callBack(context, { $0.receive(bytes) }) {
            case .taken: return bytes.count
            case .pause: return Int(ccurl_write_pause)
            case .refuse, nil: return 0
            }
        }
        if hasTLS {
            try set(CURLOPT_SSL_CTX_DATA, to: context)
            try check(
                ccurl_easy_set_tls_callback(pointer) { _, tls, context in
                    guard let tls,
                        let isSet = callBack(context, { $0.setUp(tls: OpaquePointer(tls)) })
                    else { return CURLE_SSL_CONNECT_ERROR }
                    return isSet ? CURLE_OK : CURLE_SSL_CERTPROBLEM
                }, CURLOPT_SSL_CTX_FUNCTION)
        }
        if hasBody { try setBodyCallbacks(context) }
    }

    private func setBodyCallbacks(_ context: UnsafeMutableRawPointer) throws(CurlError) {
        try set(CURLOPT_READDATA, to: context)
        try set(CURLOPT_READFUNCTION) { bytes, size, count, context in
            let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
            switch callBack(context, { $0.read(into: buffer) }) {
            case .bytes(let count): return count
            case .pause: return Int(ccurl_read_pause)
            case .abort, nil: return Int(ccurl_read_abort)
            }
        }
        try set(CURLOPT_SEEKDATA, to: context)
        try check(
            ccurl_easy_set_seek_callback(pointer) { context, offset, _ in
                callBack(context) { $0.seek(to: Int64(offset)) } == true
                    ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
            }, CURLOPT_SEEKFUNCTION)
    }

    static func at(_ context: UnsafeMutableRawPointer?) -> CurlEasyHandle? {
        context.map { Unmanaged<CurlEasyHandle>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Calls the exchange of the handle that libcurl's pointer is; nil where there is none.
@inline(__always)
private func callBack<Result>(
    _ context: UnsafeMutableRawPointer?, _ body: (any CurlExchange) -> Result
) -> Result? {
    guard let easy = CurlEasyHandle.at(context), let exchange = easy.exchange else { return nil }
    guard let watch = easy.watch else { return body(exchange) }
    return watch.whileCallingBack { body(exchange) }
}

/// The two ends of a connection, by which libcurl names it.
struct ConnectionEnds: Hashable {
    var localPort: Int32
    var remotePort: Int32
    /// As a number, without a scope, as libcurl writes it.
    var remoteAddress: String

    /// Nearly all of a process's connections differ in the local port.
    func hash(into hasher: inout Hasher) {
        hasher.combine(localPort)
    }

    /// - Returns: nil where the socket is not connected.
    init?(of socket: Int32) {
        guard let local = Self.end(of: socket, getsockname),
            let remote = Self.end(of: socket, getpeername)
        else { return nil }
        self.init(
            localPort: local.port, remotePort: remote.port, remoteAddress: remote.address)
    }

    init(localPort: Int32, remotePort: Int32, remoteAddress: String) {
        self.localPort = localPort
        self.remotePort = remotePort
        self.remoteAddress = remoteAddress
    }

    private typealias NameOf = (
        Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?
    ) -> Int32

    private static func end(of socket: Int32, _ name: NameOf) -> (address: String, port: Int32)? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let end = withUnsafeMutableBytes(of: &storage) { bytes -> (String, Int32)? in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return name(socket, address, &size) == 0 ? numbers(of: address, size) : nil
        }
        // libcurl leaves an address's scope out.
        return end.map { (String($0.prefix { $0 != "%" }), $1) }
    }

    /// The address, with its scope, and the port; nil for a Unix socket, which has a path in place of the port.
    static func numbers(
        of address: UnsafePointer<sockaddr>?, _ size: socklen_t
    ) -> (address: String, port: Int32)? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = getnameinfo(
            address, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
            NI_NUMERICHOST | NI_NUMERICSERV)
        guard result == 0, let number = Int32(text(port)) else { return nil }
        return (text(host), number)
    }

    private static func text(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
