import Foundation
import FoundationNetworking

/// What one exchange measures: made with it, filled while it runs, and then shared by all who look at it.
///
/// ## Concurrency
/// Call from: the transport's thread until the exchange is over, then any, and nothing changes any more.
/// Lock: none.
final class MeasuredExchange: @unchecked Sendable {
    // @unchecked because it is handed out when its exchange is over, and constant from then on.

    /// Whether a coded body is decoded on the way.
    var isDecoded: Bool
    let isProxy: Bool
    /// Unchecked for speed, as the next three: no method of it calls out.
    @exclusivity(unchecked)
    var times = ExchangeTimes()
    /// As it was sent; nil until the end.
    @exclusivity(unchecked)
    var request: URLRequest?
    /// What carries the request; nil before it is sent.
    @exclusivity(unchecked)
    var connection: Connection?
    /// The response's; nil where none came.
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

    /// That of the exchange that follows at once, on the same handle of libcurl's.
    func next() -> MeasuredExchange {
        let next = MeasuredExchange(isDecoded: isDecoded, isProxy: isProxy)
        next.times = times.next(at: times.end)
        return next
    }
}
