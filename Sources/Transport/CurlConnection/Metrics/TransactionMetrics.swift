public import Foundation
public import FoundationNetworking

/// The times and facts of one exchange with a server, or of one answer of the cache.
///
/// The names are those of Foundation's `URLSessionTaskTransactionMetrics`. A date is nil for what did not
/// happen: a kept connection is not made again, and an exchange that failed has no response. Dates and
/// texts are made when they are read.
public struct TransactionMetrics: Sendable {
    /// Where a response came from.
    public enum ResourceFetchType: Int, Sendable {
        case networkLoad, localCache
    }

    /// Where the response came from.
    public let resourceFetchType: ResourceFetchType
    /// Copies of the value share it.
    private let exchange: MeasuredExchange
    var clock: CalendarClock

    /// - Parameter exchange: is over, and has its request.
    init(
        _ exchange: MeasuredExchange, from source: ResourceFetchType, _ clock: CalendarClock
    ) {
        self.exchange = exchange
        resourceFetchType = source
        self.clock = clock
    }

    var times: ExchangeTimes { exchange.times }

    /// The request as it was sent, with the delegate's changes; fields that the load added itself, such
    /// as cookies, are not in it.
    public var request: URLRequest {
        exchange.request ?? URLRequest(url: URL(fileURLWithPath: "/"))
    }

    /// Whether the request went by a proxy.
    public var isProxyConnection: Bool { exchange.isProxy }

    /// The response, made anew at each call; nil where none came.
    public var response: HTTPURLResponse? {
        guard let url = exchange.request?.url else { return nil }
        return exchange.head?.response(for: url, isDecoded: exchange.isDecoded)
    }

    // MARK: Dates

    /// The load turned to this exchange: the cache is asked, then a connection.
    public var fetchStartDate: Date? { clock.date(of: times.fetchStart) }

    /// The look-up of the host's name began; nil on a kept connection.
    public var domainLookupStartDate: Date? { clock.date(of: times.lookUpStart) }

    /// The name was looked up.
    public var domainLookupEndDate: Date? { clock.date(of: times.lookUpEnd) }

    /// The first socket was opened; nil on a kept connection.
    public var connectStartDate: Date? { clock.date(of: times.connectStart) }

    /// The connection stood, with a proxy's tunnel and TLS.
    public var connectEndDate: Date? { clock.date(of: times.connectEnd) }

    /// The TLS handshake with the server began.
    public var secureConnectionStartDate: Date? { clock.date(of: times.secureStart) }

    /// The TLS handshake was over; whether the server is trusted is judged after it.
    public var secureConnectionEndDate: Date? {
        times.secureStart > 0 ? connectEndDate : nil
    }

    /// The request's first byte was about to be sent; the cache was asked.
    public var requestStartDate: Date? { clock.date(of: times.requestStart) }

    /// The request's last byte was in the socket; at once for a request without a body.
    ///
    /// A server may answer before the whole body was sent; then it is later than `responseStartDate`.
    public var requestEndDate: Date? { clock.date(of: times.requestEnd) }

    /// The response's first line was received, an interim one's too.
    public var responseStartDate: Date? { clock.date(of: times.responseStart) }

    /// The response's last byte was received, or reception ended without it.
    public var responseEndDate: Date? {
        times.responseStart > 0 ? clock.date(of: times.end) : nil
    }

    // MARK: The connection

    /// The protocol by its ALPN name, such as `http/1.1` and `h2`; nil where no response came.
    public var networkProtocolName: String? {
        guard resourceFetchType == .networkLoad, let head = exchange.head else { return nil }
        return head.version == "HTTP/2" ? "h2" : head.version.lowercased()
    }

    /// Whether the request went out on a connection that another exchange had made.
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

    /// Bytes of the request's head as HTTP/1 writes it; HTTP/2 packs them.
    public var countOfRequestHeaderBytesSent: Int64 { times.sentHead }

    /// Bytes of the request's body that were in the socket.
    public var countOfRequestBodyBytesSent: Int64 { times.sentBody }

    /// Bytes of the response's heads as HTTP/1 writes them, interim ones and trailers included.
    public var countOfResponseHeaderBytesReceived: Int64 { times.receivedHead }

    /// Bytes of the response's body as they were received, before a coding such as gzip was undone.
    public var countOfResponseBodyBytesReceived: Int64 { times.receivedBody }

    /// Bytes of the response's body after its coding was undone.
    public var countOfResponseBodyBytesAfterDecoding: Int64 {
        times.decodedBody < 0 ? times.receivedBody : times.decodedBody
    }
}
