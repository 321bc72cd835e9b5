import Foundation
import FoundationNetworking

/// A head, and Foundation's object for it, which is made when it is first needed: that costs more than everything
/// else that is done with a head.
struct LazyHTTPResponse {
    let head: ResponseHead
    let url: URL
    /// Whether a coded body is decoded.
    let isDecoded: Bool
    /// The response made before, to be used again where the head is the same.
    let latest: LatestResponse

    /// Nil where Foundation accepts no such head.
    var httpURLResponse: HTTPURLResponse? {
        latest.response(for: head, url, isDecoded: isDecoded)
    }
}

/// The response made last for a transport.
///
/// Requests for one resource within a second mostly get the same head, byte for byte, and share one
/// object, which never changes. Long heads are not kept.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class LatestResponse {
    /// The most bytes of the names and values of a head that is kept.
    private static let limit = 4_096

    /// Exclusivity is unchecked for speed: it is only read and replaced whole.
    @exclusivity(unchecked)
    private var latest: (head: ResponseHead, url: URL, isDecoded: Bool, response: HTTPURLResponse)?

    func response(for head: ResponseHead, _ url: URL, isDecoded: Bool) -> HTTPURLResponse? {
        if let latest, latest.isDecoded == isDecoded, latest.head == head,
            latest.url == url
        {
            return latest.response
        }
        let response = head.response(for: url, isDecoded: isDecoded)
        latest =
            head.fields.byteCount <= Self.limit
            ? response.map { (head, url, isDecoded, $0) } : nil
        return response
    }

    /// To be called when all connections are closed.
    func forget() {
        latest = nil
    }
}
