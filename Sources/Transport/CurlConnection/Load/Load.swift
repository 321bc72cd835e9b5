/// The state of a load, from its start to its last delegate call: a pure table.
///
/// A load is what one `URLConnection` does: one request after the other, until the delegate has the final response.
/// Each request that goes out is a `Transfer`, an easy handle of libcurl's; the `RunLoopTransport` has the multi handle
/// and the connections to servers. A transfer ends before its load does: the load then follows a redirect, tries again,
/// or ends.
///
/// An event that is not in the table changes nothing. The effect is carried out once the load is in the new state. A
/// delegate's call may cancel or suspend the load: each event that follows finds the state that it has by then. A load
/// that ends while it has a transfer first sends `cancelTransfer`, and then `finish`.
enum Load: CaseIterable, Sendable {
    /// Made and not started.
    case idle
    /// Started; the delegate has not been asked for the first request.
    case starting
    /// Between two steps: the load decides whether it sends, follows a redirect, tries again or ends, for which
    /// it may wait for the delegate or the disk. A transfer that has ended leads here too.
    case preparing
    /// Waits before the request is sent again.
    case retrying
    /// The delegate gets a response that came from the cache or was read; nothing is sent.
    case serving
    /// A `file:` or `data:` URL is read, or a class of `configuration.protocolClasses` loads the request; `serve` follows.
    case reading

    // From here to `consuming` there is a transfer.

    /// Waits for a slot: only so many transfers may use connections at once, to each origin and in all.
    case queued
    /// Removed from libcurl until the addresses of its hosts are known. It keeps its slot.
    case lookingUp
    /// Suspended before its request was sent: it has no slot, and libcurl does not have its handle.
    case unsent
    /// libcurl has it, and the response's header is not complete.
    case exchanging
    /// The header is complete, and the delegate has not said whether it wants the body.
    case undecided
    /// The delegate gets the body.
    case delivering
    /// The body is not wanted: by the delegate, or by the load, which follows a redirect, answers a challenge or sends the
    /// request again. It is read to its end if few bytes are left, so that the connection can be kept.
    case discarding
    /// libcurl is done, and the delegate has not said whether it wants the body.
    case completeUndecided
    /// libcurl is done; bytes are to be decoded, or the delegate has not consumed every byte.
    case consuming

    case over

    /// What can happen to a load.
    enum Event: CaseIterable, Sendable {
        /// The caller starts it.
        case start
        /// A request is to be loaded, the first or a further one; `send`, `serve` or `read` follows.
        case prepare
        /// The response is there without a transfer.
        case serve
        /// The request is to be sent again later; the wait begins.
        case retry
        /// A local address is to be read, or a protocol class has taken the request.
        case read
        /// A transfer is started.
        case send
        /// The delegate gets its last call, or the caller cancels.
        case finish

        // Events of the transfer.

        /// It has its slot and the addresses: its handle is added to libcurl.
        case add
        /// libcurl needs an address that was not looked up yet.
        case lookUp
        /// The connection, which an earlier request had left open, cannot be used, and nothing was sent on it.
        case startAgain
        /// The load was suspended, and no byte of the request was sent. The run loop sends this event, after the caller's
        /// call of `suspend()` has returned.
        case suspend
        /// The load goes on after that, also from the run loop. In other states than `unsent` libcurl continues, without a
        /// move.
        case resume
        /// The header is complete.
        case showHead
        /// The delegate wants the body.
        case deliver
        /// The delegate, or the load, does not want the body.
        case discard
        /// libcurl is done, and nothing is wrong; or as many bytes of an unwanted body were read as may be.
        case complete
        /// libcurl is done, and something is wrong; or the body cannot be decoded.
        case fail
        /// The load ends its transfer itself: a time limit has passed, or the system has no descriptor for it.
        case abort
        /// Everything is decoded, and the delegate has consumed every byte.
        case consume
        /// The load cancels its transfer, because it ends or sends another request.
        case cancelTransfer
        /// The transport is closed, because its thread ends. A load without a transfer gets `finish` then.
        case closeTransport
    }

    /// What is done after a move.
    enum Effect: Sendable {
        case none
        /// The transfer asks for a slot, which it gets at once or waits for.
        case takeSlot
        /// Gives its slot back, if it has one, and asks for another, at the end of the queue.
        case takeNewSlot
        /// Gives its slot back, or stops waiting for one; the handle is removed from libcurl.
        case leaveSlot
        /// Has the names looked up.
        case lookUp
        /// libcurl continues, if it was paused.
        case unpause
        /// libcurl continues, if it was paused. The body is discarded, up to a limit of bytes and of time.
        case unpauseToDiscard
        /// Decodes what is left; once the delegate has consumed every byte, `consume` follows.
        case endOnceConsumed
        /// Like `endOnceConsumed`, but later, from the run loop, since the delegate's answer may come inside its own call.
        /// Bytes that it does not want are dropped.
        case endOnceConsumedSoon
        /// The transfer ends well, and the load decides what follows.
        case endTransfer
        /// The transfer ends with an error, and the load decides whether it fails with it.
        case endTransferWithError
        /// The transfer ends with the error that the connection was closed before the header was complete.
        case endTransferInsideHeader
        /// The transfer is removed; nothing follows.
        case removeTransfer
        /// The closed transport has removed the transfer itself. The load is over without a call of the delegate.
        case releaseTransfer
    }

    /// The next state, and what to do there.
    struct Move: Equatable, Sendable {
        let state: Load
        let effect: Effect

        init(_ state: Load, _ effect: Effect = .none) {
            self.state = state
            self.effect = effect
        }
    }

    /// The move that an event makes; nil where it means nothing.
    func move(on event: Event) -> Move? {
        switch (self, event) {
        case (.over, _): nil
        case (_, .finish): Move(.over)

        case (.idle, .start): Move(.starting)
        case (.idle, _): nil

        case (.starting, .prepare), (.preparing, .prepare), (.retrying, .prepare),
            (.reading, .prepare):
            Move(.preparing)
        case (.starting, .read), (.preparing, .read), (.retrying, .read), (.reading, .read):
            Move(.reading)
        case (.preparing, .serve), (.reading, .serve), (.serving, .serve): Move(.serving)
        case (.preparing, .retry): Move(.retrying)
        case (.preparing, .send): Move(.queued, .takeSlot)
        case (.starting, _), (.preparing, _), (.retrying, _), (.serving, _), (.reading, _): nil

        case (_, .cancelTransfer): Move(.preparing, .removeTransfer)
        case (_, .closeTransport): Move(.over, .releaseTransfer)
        case (_, .abort): Move(.preparing, .endTransferWithError)

        case (.queued, .add), (.lookingUp, .add): Move(.exchanging)

        case (.queued, .suspend), (.lookingUp, .suspend), (.exchanging, .suspend):
            Move(.unsent, .leaveSlot)
        case (.unsent, .resume): Move(.queued, .takeNewSlot)

        case (.exchanging, .lookUp): Move(.lookingUp, .lookUp)
        case (.exchanging, .startAgain): Move(.queued, .takeNewSlot)
        case (.exchanging, .showHead): Move(.undecided)
        case (.exchanging, .complete): Move(.preparing, .endTransferInsideHeader)
        case (.exchanging, .fail): Move(.preparing, .endTransferWithError)

        case (.undecided, .deliver): Move(.delivering, .unpause)
        case (.undecided, .discard): Move(.discarding, .unpauseToDiscard)
        case (.undecided, .complete): Move(.completeUndecided)
        case (.undecided, .fail): Move(.preparing, .endTransferWithError)

        case (.delivering, .complete): Move(.consuming, .endOnceConsumed)
        case (.delivering, .fail): Move(.preparing, .endTransferWithError)
        // How the server ends an unwanted body does not matter.
        case (.discarding, .complete), (.discarding, .fail): Move(.preparing, .endTransfer)

        case (.completeUndecided, .deliver), (.completeUndecided, .discard):
            Move(.consuming, .endOnceConsumedSoon)

        case (.consuming, .consume): Move(.preparing, .endTransfer)
        case (.consuming, .fail): Move(.preparing, .endTransferWithError)

        default: nil
        }
    }

    /// Whether libcurl has the transfer, so that a callback means something.
    var isWithLibcurl: Bool {
        switch self {
        case .exchanging, .undecided, .delivering, .discarding: true
        default: false
        }
    }

    /// Whether the idle limit counts: the transfer waits for the server or the resolver, or for a delegate that
    /// consumes nothing. In the other states it waits for a slot, for the delegate's answer, or to be resumed. While the
    /// load is suspended, the limit counts in none (`meanwhile`).
    var isIdlenessLimited: Bool {
        switch self {
        case .lookingUp, .exchanging, .delivering, .discarding, .consuming: true
        default: false
        }
    }
}
