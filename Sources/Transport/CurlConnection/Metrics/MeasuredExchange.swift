import COpenSSL
import Foundation
import FoundationNetworking

/// What was measured of one exchange. Copies of its `TransactionMetrics` share it.
///
/// ## Concurrency
/// Call from: the transport's thread until the exchange is over, then any thread: it is constant.
/// Lock: none.
final class MeasuredExchange: @unchecked Sendable {
    // @unchecked because other threads get it when its exchange is over, and it is constant from then on.

    /// Whether a coded body is decoded.
    var isDecoded: Bool
    let isProxy: Bool
    /// Exclusivity is unchecked for speed, as for the next three: no method of it calls out.
    @exclusivity(unchecked)
    var times = ExchangeTimes()
    /// Without the fields that the load adds; nil until the end.
    @exclusivity(unchecked)
    var request: URLRequest?
    /// The connection that the request was sent on; nil before.
    @exclusivity(unchecked)
    var connection: Connection?
    /// The response's head; nil where none came.
    @exclusivity(unchecked)
    var head: ResponseHead?

    struct Connection {
        var ends: ConnectionEnds
        /// This machine's end, as a number.
        var localAddress: String
        /// Nil without TLS.
        var protection: TLSFacts?
    }

    init(isDecoded: Bool, isProxy: Bool) {
        self.isDecoded = isDecoded
        self.isProxy = isProxy
    }

    /// The one for an exchange that follows at once on the same easy handle.
    func next() -> MeasuredExchange {
        let next = MeasuredExchange(isDecoded: isDecoded, isProxy: isProxy)
        next.times = times.next(at: times.end)
        return next
    }
}

/// What a TLS handshake negotiated, as OpenSSL's numbers and constants.
struct TLSFacts: BitwiseCopyable, Sendable {
    /// Such as 0x0304 for TLS 1.3.
    private let version: Int32
    /// The address of OpenSSL's entry for the cipher suite, a constant of the library.
    private let cipher: UInt

    /// - Parameter session: OpenSSL's object for a connection whose handshake is over.
    init(of session: OpaquePointer) {
        version = SSL_version(session)
        cipher = SSL_get_current_cipher(session).map { UInt(bitPattern: $0) } ?? 0
    }

    var versionName: String? {
        switch version {
        case TLS1_VERSION: "TLSv1"
        case TLS1_1_VERSION: "TLSv1.1"
        case TLS1_2_VERSION: "TLSv1.2"
        case TLS1_3_VERSION: "TLSv1.3"
        default: nil
        }
    }

    /// The cipher suite's name in IANA's registry.
    var cipherName: String? {
        OpaquePointer(bitPattern: cipher).flatMap(SSL_CIPHER_standard_name).map {
            String(cString: $0)
        }
    }
}

/// The instants of one exchange and its byte counts: plain numbers, so that an exchange pays for no date and
/// no text.
///
/// Instants are nanoseconds of the monotonic clock; 0 is never. They are read in libcurl's callbacks:
/// libcurl's own times begin at the last start of a handle, and add up where it repeats a request.
struct ExchangeTimes: BitwiseCopyable, Sendable {
    /// When the load began this exchange.
    var fetchStart: UInt64 = 0
    private(set) var lookUpStart: UInt64 = 0
    private(set) var lookUpEnd: UInt64 = 0
    private(set) var connectStart: UInt64 = 0
    /// When the TLS handshake with the server began; one with a proxy belongs to connecting.
    private(set) var secureStart: UInt64 = 0
    private(set) var connectEnd: UInt64 = 0
    private(set) var requestStart: UInt64 = 0
    private(set) var requestEnd: UInt64 = 0
    private(set) var responseStart: UInt64 = 0
    /// When the last byte was received, or the exchange ended without it.
    private(set) var end: UInt64 = 0

    // MARK: Bytes

    /// Bytes of the request's head, as HTTP/1 writes it.
    private(set) var sentHead: Int64 = 0
    private(set) var sentBody: Int64 = 0
    /// Bytes of all header lines of the response, interim responses and trailers included.
    var receivedHead: Int64 = 0
    /// Bytes of the response's body before it was decoded.
    var receivedBody: Int64 = 0
    /// Bytes of the response's body after it was decoded; -1 if it was not coded.
    private(set) var decodedBody: Int64 = -1

    /// What libcurl had sent before this exchange on the same handle.
    private var sentBefore: Int64 = 0

    /// Whether the request went out on a connection that another exchange had made.
    var isReused: Bool { requestStart > 0 && connectStart == 0 }

    /// Whether it no longer waits for a connection.
    var hasLeftQueue: Bool { lookUpStart > 0 || connectStart > 0 || requestStart > 0 }

    /// The latest instant that was noted. (`max` of more than two would make an array.)
    private var latest: UInt64 {
        if requestStart > 0 { return max(requestEnd, responseStart) }
        return max(
            max(fetchStart, max(lookUpStart, lookUpEnd)),
            max(connectStart, max(secureStart, connectEnd)))
    }

    // MARK: What happens, in order

    /// The exchange goes on with another easy handle, which counts anew.
    mutating func usesNewHandle() {
        sentBefore = 0
    }

    mutating func looksUp(at now: UInt64) {
        if lookUpStart == 0, connectStart == 0 { lookUpStart = now }
    }

    mutating func lookedUp(at now: UInt64) {
        if connectStart == 0 { lookUpEnd = now }
    }

    /// libcurl has opened a socket. It may try several at once; the first counts.
    mutating func connects(at now: UInt64) {
        guard connectStart == 0 else { return }
        if lookUpStart > 0, lookUpEnd == 0 { lookUpEnd = now }
        connectStart = now
    }

    mutating func secures(at now: UInt64) {
        if connectStart > 0, connectEnd == 0 { secureStart = now }
    }

    /// Whether a connection was begun and is not known to be made.
    var isConnecting: Bool { connectStart > 0 && connectEnd == 0 }

    mutating func connected(at now: UInt64) {
        connectEnd = now
    }

    mutating func sends(at now: UInt64) {
        requestStart = now
        requestEnd = now
    }

    mutating func sent(body bytes: Int64, at now: UInt64) {
        sentBody += bytes
        requestEnd = max(now, requestStart)
    }

    mutating func decoded(bytes: Int) {
        decodedBody = max(0, decodedBody) + Int64(bytes)
    }

    mutating func responds(at now: UInt64) {
        if responseStart == 0 { responseStart = max(now, requestStart) }
    }

    /// - Parameter now: when the run loop's pass began, or later. It may be before what the pass noted.
    mutating func ended(at now: UInt64) {
        if end == 0 { end = max(now, latest) }
    }

    /// - Parameter sent: the bytes of requests that libcurl has sent with this handle.
    mutating func count(sent: Int64) {
        sentHead = max(0, sent - sentBefore)
    }

    /// The times of an exchange that follows at once on the same handle.
    func next(at now: UInt64) -> ExchangeTimes {
        var next = ExchangeTimes()
        next.fetchStart = now
        next.sentBefore = sentBefore + sentHead
        return next
    }
}
