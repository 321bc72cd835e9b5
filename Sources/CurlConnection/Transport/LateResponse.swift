import Foundation
package import FoundationNetworking

/// An answer's head, of which Foundation's object is made when somebody looks at it.
///
/// Making that costs more than everything else that is done with a head, and most are never looked
/// at.
package final class LateResponse: Sendable {
    let head: ResponseHead
    let url: URL
    /// Whether a coded body is decoded on the way.
    let isDecoded: Bool

    init(head: ResponseHead, url: URL, isDecoded: Bool) {
        self.head = head
        self.url = url
        self.isDecoded = isDecoded
    }

    package var statusCode: Int { head.statusCode }

    /// As the object's own: -1 where it is unknown.
    package var expectedContentLength: Int64 {
        if isDecoded, head.hasContentEncoding { return -1 }
        var lengths = head.rawValues(of: "Content-Length")
        guard let length = lengths.next(), lengths.next() == nil else { return -1 }
        return max(-1, Int64(ResponseHead.text(of: length)) ?? -1)
    }

    /// Foundation's object, a new one each time; nil where it takes no such head.
    package func made() -> HTTPURLResponse? { head.response(for: url, isDecoded: isDecoded) }
}
