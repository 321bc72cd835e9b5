/// The state of a load, from its start to its last delegate call: a pure table.
///
/// A load is what one `URLConnection` does: one request after the other, until a response is the caller's. Each
/// request that goes out is a `Transfer`, which has libcurl's handle; the `RunLoopTransport` has libcurl and its
/// connections. A move depends on a state and an event; an event that is not in the table changes nothing. The
/// transfer performs the effect once the load is in the new state.
enum Load: CaseIterable, Sendable {
    /// Made and not started.
    case idle
    /// Started; the delegate has not been asked for the first request.
    case starting
    /// Between two steps: the load decides whether it sends, follows a redirect, tries again or ends, for which
    /// it may wait for the delegate or the disk. A transfer's success and failure lead here too.
    case preparing
    /// The request is sent again in a while.
    case retrying
    /// The response comes from the cache, or was read; nothing is sent.
    case serving
    /// A local address is read, or one of the configuration's protocol classes answers; nothing is sent.
    case reading

    // From here to `draining` there is a transfer.

    /// Waits for a connection.
    case queued
    /// Removed from libcurl until the addresses of its hosts are known.
    case lookingUp
    /// Suspended before its request was sent: it has neither a connection's slot nor libcurl's handle.
    case unsent
    /// libcurl has it, and the response's header is not complete.
    case exchanging
    /// The header is complete, and the delegate has not said whether it wants the body.
    case undecided
    case delivering
    case discarding
    /// libcurl is done, and the delegate has not said whether it wants the body.
    case completeUndecided
    /// libcurl is done; the delegate has not taken every byte.
    case draining

    case over

    /// What can happen to a load.
    enum Event: CaseIterable, Sendable {
        /// The caller starts it.
        case start
        /// A request is to be loaded, the first or one that follows.
        case prepare
        /// The response is there without a transfer.
        case serve
        /// The request is to be sent again, after a while.
        case retry
        /// A local address is to be read, or a protocol class has taken the request.
        case read
        /// A transfer is started.
        case send
        /// The delegate gets its last call, or the caller cancels.
        case end

        /// libcurl gets the transfer's handle.
        case begin
        /// libcurl needs an address that was not looked up yet.
        case lookUp
        /// The kept connection cannot be used, and nothing was sent on it.
        case startAgain
        /// It is suspended, and its request was not sent, which the transfer knows.
        case suspend
        /// It is resumed.
        case resume
        /// The header is complete.
        case showHead
        /// The delegate wants the body.
        case deliver
        /// The delegate does not want the body.
        case discard
        /// libcurl is done, and nothing is wrong; or enough of an unwanted body was read.
        case complete
        /// libcurl is done, and something is wrong; or the body cannot be decoded.
        case fail
        /// A time limit has passed, or the system has no descriptor left.
        case abort
        /// The delegate has taken every byte.
        case drain
        /// The transfer is not wanted any more.
        case drop
        /// The transport ends.
        case abandon
    }

    /// What the transfer does after a move.
    enum Effect: Sendable {
        case none
        /// Asks the transport for a connection's slot.
        case enqueue
        /// Gives its slot back, where it has one, and asks for a new one.
        case enqueueAgain
        /// Gives its slot back, or leaves the queue for one.
        case leaveSlot
        /// Has the names looked up.
        case lookUp
        /// libcurl continues, where it was paused.
        case unpause
        /// The same, with the limits of an unwanted body.
        case unpauseToDiscard
        /// Ends once the delegate has taken every byte; not inside the delegate's call.
        case drainSoon
        /// The same at once.
        case drain
        /// Ends well.
        case succeed
        /// Ends with the error at hand.
        case fail
        /// Ends, because the connection was closed before the header was complete.
        case failInsideHeader
        /// Leaves the transport without a call.
        case leave
        /// Releases what it retains; the transport has dropped it already, and its thread ends.
        case release
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
        case (_, .end): Move(.over)

        case (.idle, .start): Move(.starting)
        case (.idle, _): nil

        case (.starting, .prepare), (.preparing, .prepare), (.retrying, .prepare),
            (.reading, .prepare):
            Move(.preparing)
        case (.starting, .read), (.preparing, .read), (.retrying, .read), (.reading, .read):
            Move(.reading)
        case (.preparing, .serve), (.reading, .serve), (.serving, .serve): Move(.serving)
        case (.preparing, .retry): Move(.retrying)
        case (.preparing, .send): Move(.queued, .enqueue)
        case (.starting, _), (.preparing, _), (.retrying, _), (.serving, _), (.reading, _): nil

        case (_, .drop): Move(.preparing, .leave)
        case (_, .abandon): Move(.over, .release)
        case (_, .abort): Move(.preparing, .fail)

        case (.queued, .begin), (.lookingUp, .begin): Move(.exchanging)

        case (.queued, .suspend), (.lookingUp, .suspend), (.exchanging, .suspend):
            Move(.unsent, .leaveSlot)
        case (.unsent, .resume): Move(.queued, .enqueueAgain)

        case (.exchanging, .lookUp): Move(.lookingUp, .lookUp)
        case (.exchanging, .startAgain): Move(.queued, .enqueueAgain)
        case (.exchanging, .showHead): Move(.undecided)
        case (.exchanging, .complete): Move(.preparing, .failInsideHeader)
        case (.exchanging, .fail): Move(.preparing, .fail)

        case (.undecided, .deliver): Move(.delivering, .unpause)
        case (.undecided, .discard): Move(.discarding, .unpauseToDiscard)
        case (.undecided, .complete): Move(.completeUndecided)
        case (.undecided, .fail): Move(.preparing, .fail)

        case (.delivering, .complete): Move(.draining, .drain)
        case (.delivering, .fail): Move(.preparing, .fail)
        // How the server ends an unwanted body does not matter.
        case (.discarding, .complete), (.discarding, .fail): Move(.preparing, .succeed)

        case (.completeUndecided, .deliver), (.completeUndecided, .discard):
            Move(.draining, .drainSoon)

        case (.draining, .drain): Move(.preparing, .succeed)
        case (.draining, .fail): Move(.preparing, .fail)

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

    /// Whether the idle limit counts: the transfer waits for the server or the resolver, or for a reader that
    /// takes no bytes. In the other states it waits for a slot or for the delegate's answer.
    var isIdlenessLimited: Bool {
        switch self {
        case .lookingUp, .exchanging, .delivering, .discarding, .draining: true
        default: false
        }
    }
}
