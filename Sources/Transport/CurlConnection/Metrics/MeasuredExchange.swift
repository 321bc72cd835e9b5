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
    /// As it was sent; nil until the end.
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
