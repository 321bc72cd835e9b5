import Foundation
import HTTPSemantics

/// What becomes of an answer's body, said when its head is complete.
enum BodyDisposition {
    case deliver
    /// Read a little of it, so that the connection can be kept, and throw it away.
    case discard
    /// Not decided yet; no byte moves until `Transfer.decide`.
    case undecided
}

/// Who hears of one exchange; all calls come on the transport's thread.
protocol TransferDelegate: AnyObject {
    /// Asked when an exchange that had to wait gets its connection. False ends it, with nothing
    /// sent and no further call.
    func transferMayBegin(_ transfer: Transfer) -> Bool
    /// Asked after the TLS handshake and before any byte of the request, on every request, also on
    /// a reused connection. False ends the exchange with nothing sent: the place for a trust
    /// verdict, and the only one, since libcurl judges no certificate.
    func transferMaySendRequest(_ transfer: Transfer) -> Bool
    /// Asked in the handshake when the server asks for a certificate, once its own is known and
    /// before anything is shown. False ends the exchange.
    func transfer(_ transfer: Transfer, mayShowCertificateTo trust: ServerTrust) -> Bool
    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> BodyDisposition
    /// libcurl answers this 401 or 407 itself; it is not the answer.
    func transfer(_ transfer: Transfer, didPassOver head: ResponseHead)
    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer)
    /// How many of the bytes delivered so far have no place yet. No more come while it is not 0.
    func transferBytesNotConsumed(_ transfer: Transfer) -> Int
    func transfer(_ transfer: Transfer, didSend bytes: Int64, total: Int64, expected: Int64)
    /// The body must be sent again and cannot be rewound.
    func transferNeedsNewBody(_ transfer: Transfer) -> RequestBody?
    /// The last call, exactly one for each exchange that was started and not cancelled.
    func transfer(_ transfer: Transfer, didEndWith error: URLError?)
}
