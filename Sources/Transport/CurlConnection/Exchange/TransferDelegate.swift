import Foundation
import HTTPSemantics

/// What becomes of a response's body; said when its head is complete.
enum BodyDisposition {
    case deliver
    /// Read a little of it, so that the connection can be kept, and drop it.
    case discard
    /// Not decided yet; no byte moves until `Transfer.decide`.
    case undecided
}

/// Who hears of one exchange; all calls come on the transport's thread.
protocol TransferDelegate: AnyObject {
    /// Tells that the exchange waits for a connection.
    func transferMustWait(_ transfer: Transfer)
    /// Asked when an exchange that waited gets its connection. False ends it; nothing was sent, and no
    /// call follows.
    func transferMayBegin(_ transfer: Transfer) -> Bool
    /// Asked after the TLS handshake and before any byte of each request, also on a kept connection.
    /// False ends the exchange with nothing sent. Server trust is judged here and nowhere else: libcurl
    /// judges no server's certificate.
    func transferMaySendRequest(_ transfer: Transfer) -> Bool
    /// Asked in the handshake when the server asks for a client certificate, once the server's own is
    /// known. False ends the exchange, and nothing is shown.
    func transfer(_ transfer: Transfer, mayShowCertificateTo trust: ServerTrust) -> Bool
    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> BodyDisposition
    /// libcurl answers this 401 or 407 itself; it is not the response.
    func transfer(_ transfer: Transfer, didPassOver head: ResponseHead)
    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer)
    /// How many of the bytes delivered so far are not consumed yet. No more come while it is not 0.
    func transferBytesNotConsumed(_ transfer: Transfer) -> Int
    func transfer(_ transfer: Transfer, didSend bytes: Int64, total: Int64, expected: Int64)
    /// An exchange is over: the whole, or one that libcurl follows by another. It comes also where the
    /// transfer is cancelled, and before the last call. Reads what it needs and does nothing else.
    func transferDidMeasure(_ transfer: Transfer)
    /// The body must be sent again and cannot be rewound.
    func transferNeedsNewBody(_ transfer: Transfer) -> RequestBody?
    /// The last call, exactly one for each exchange that was started and not cancelled.
    func transfer(_ transfer: Transfer, didEndWith error: URLError?)
}
