public import Foundation
public import FoundationNetworking

/// The times and facts of one exchange with a server, or of one response from the cache.
///
/// The names are those of Foundation's `URLSessionTaskTransactionMetrics`. A date is nil for what did not
/// happen: on a reused connection there is no look-up, and an exchange that failed has no response.
public struct TransactionMetrics: Sendable {
    /// Where a response came from.
    public enum ResourceFetchType: Int, Sendable {
        case networkLoad, localCache
    }

    /// Where the response came from.
    public let resourceFetchType: ResourceFetchType
    private let exchange: MeasuredExchange
    var clock: CalendarClock

    /// - Parameter exchange: one that is over, with its request.
    init(
        _ exchange: MeasuredExchange, from source: ResourceFetchType, _ clock: CalendarClock
    ) {
        self.exchange = exchange
        resourceFetchType = source
        self.clock = clock
    }

    var times: ExchangeTimes { exchange.times }

    /// The request with the delegate's changes, and without the fields that the load added, such as cookies.
    public var request: URLRequest {
        exchange.request ?? URLRequest(url: URL(fileURLWithPath: "/"))
    }

    /// Whether the request was sent to a proxy.
    public var isProxyConnection: Bool { exchange.isProxy }

    /// The response, made anew at each call; nil where none came.
    public var response: HTTPURLResponse? {
        guard let url = exchange.request?.url else { return nil }
        return exchange.head?.response(for: url, isDecoded: exchange.isDecoded)
    }

    // MARK: Dates

    /// When the exchange began: before the cache was asked, and before the wait for a connection.
    public var fetchStartDate: Date? { clock.date(of: times.fetchStart) }

    /// When the look-up of the host's name began; nil on a reused connection.
    public var domainLookupStartDate: Date? { clock.date(of: times.lookUpStart) }

    /// When the look-up of the host's name ended.
    public var domainLookupEndDate: Date? { clock.date(of: times.lookUpEnd) }

    /// When the first socket was opened; nil on a reused connection.
    public var connectStartDate: Date? { clock.date(of: times.connectStart) }

    /// When the connection was made, with a proxy's tunnel and TLS.
    public var connectEndDate: Date? { clock.date(of: times.connectEnd) }

    /// When the TLS handshake with the server began.
    public var secureConnectionStartDate: Date? { clock.date(of: times.secureStart) }

    /// When the TLS handshake ended; the server's trust is evaluated after it.
    public var secureConnectionEndDate: Date? {
        times.secureStart > 0 ? connectEndDate : nil
    }

    /// When the request's first byte was about to be sent, or the cache was asked.
    public var requestStartDate: Date? { clock.date(of: times.requestStart) }

    /// When the request's last byte was written to the socket; `requestStartDate` for a request without a body.
    ///
    /// It is later than `responseStartDate` where the server answered before the whole body was sent.
    public var requestEndDate: Date? { clock.date(of: times.requestEnd) }

    /// When the response's first line was received, also an interim one's.
    public var responseStartDate: Date? { clock.date(of: times.responseStart) }

    /// When the response's last byte was received, or the exchange ended without it.
    public var responseEndDate: Date? {
        times.responseStart > 0 ? clock.date(of: times.end) : nil
    }

    // MARK: The connection

    /// The protocol by its ALPN name, such as `http/1.1` and `h2`; nil where no response came.
    public var networkProtocolName: String? {
        guard resourceFetchType == .networkLoad, let head = exchange.head else { return nil }
        return head.version == "HTTP/2" ? "h2" : head.version.lowercased()
    }

    /// Whether the request was sent on a connection that another exchange had made.
    public var isReusedConnection: Bool { resourceFetchType == .networkLoad && times.isReused }

    /// The address of this machine's end, as a number.
    public var localAddress: String? { exchange.connection?.localAddress }

    /// The port of this machine's end.
    public var localPort: Int? { exchange.connection.map { Int($0.ends.localPort) } }

    /// The address of the other end, a proxy's where there is one, as a number.
    public var remoteAddress: String? { exchange.connection?.ends.remoteAddress }

    /// The port of the other end.
    public var remotePort: Int? { exchange.connection.map { Int($0.ends.remotePort) } }

    /// The version of TLS, such as `TLSv1.3`; nil without TLS.
    public var negotiatedTLSProtocolVersion: String? {
        exchange.connection?.protection?.versionName
    }

    /// The cipher suite by its registered name, such as `TLS_AES_128_GCM_SHA256`; nil without TLS.
    public var negotiatedTLSCipherSuite: String? { exchange.connection?.protection?.cipherName }

    // MARK: Bytes

    /// Bytes of the request's header as HTTP/1 writes it; HTTP/2 compresses it.
    public var countOfRequestHeaderBytesSent: Int64 { times.sentHead }

    /// Bytes of the request's body that were written to the socket.
    public var countOfRequestBodyBytesSent: Int64 { times.sentBody }

    /// Bytes of the response's headers as HTTP/1 writes them, interim responses and trailers included.
    public var countOfResponseHeaderBytesReceived: Int64 { times.receivedHead }

    /// Bytes of the response's body as received, before decoding such as gzip.
    public var countOfResponseBodyBytesReceived: Int64 { times.receivedBody }

    /// Bytes of the response's body after decoding.
    public var countOfResponseBodyBytesAfterDecoding: Int64 {
        times.decodedBody < 0 ? times.receivedBody : times.decodedBody
    }
}
