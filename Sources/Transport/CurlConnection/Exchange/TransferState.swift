/// The states of a transfer and the moves between them: a pure table.
///
/// A move depends on a state and an event; an event that is not in the table changes nothing. The
/// transfer carries out the effect once it is in the new state.
enum TransferState: CaseIterable, Sendable {
    /// Made and not started.
    case idle
    /// Waits for a connection.
    case queued
    /// Taken off libcurl until the addresses of its hosts are known.
    case lookingUp
    /// Suspended before its request was sent: it has neither a place nor libcurl's handle.
    case suspended
    /// libcurl has it, and the response's head has not come.
    case exchanging
    /// The delegate has the head and has not said what becomes of the body.
    case undecided
    case delivering
    case discarding
    /// libcurl is done; the delegate has not said what becomes of the body.
    case completeUndecided
    /// libcurl is done; the delegate has not taken every byte.
    case draining
    case over

    /// What can happen to a transfer.
    enum Event: CaseIterable, Sendable {
        /// The `URLConnection` starts it.
        case start
        /// libcurl gets its handle.
        case begin
        /// libcurl needs an address that nobody has looked up.
        case lookUp
        /// The kept connection cannot be used, and nothing was sent on it.
        case startAgain
        /// The `URLConnection` suspends it, and its request was not sent.
        case suspend
        /// The `URLConnection` lets it go on.
        case resume
        /// The head is complete.
        case showHead
        /// The delegate wants the body.
        case deliver
        /// The delegate does not want the body.
        case discard
        /// libcurl is done, and nothing is wrong; or enough of an unwanted body was read.
        case complete
        /// libcurl is done, and something is wrong; or the body cannot be decoded.
        case fail
        /// A time limit has passed, or the system refuses.
        case abort
        /// The delegate has taken every byte.
        case drain
        /// The `URLConnection` cancels it.
        case cancel
        /// The transport ends.
        case abandon
    }

    /// What the transfer does after a move.
    enum Effect: Sendable {
        case none
        /// Asks the transport for a connection.
        case enqueue
        /// Gives its connection back and asks for a new one.
        case enqueueAgain
        /// Gives its connection back, or leaves the line.
        case giveUpPlace
        /// Has the names looked up.
        case lookUp
        /// Has libcurl continue, where it was told to pause.
        case resume
        /// The same, with the limits of an unwanted body.
        case resumeToDiscard
        /// Ends the transfer once the delegate has taken every byte; not inside the delegate's call.
        case drainSoon
        /// The same at once.
        case drain
        /// Tells the delegate of a success.
        case succeed
        /// Tells the delegate of the error at hand.
        case fail
        /// Tells the delegate that the connection ended inside the head.
        case failInsideHead
        /// Leaves the transport; nothing is told.
        case leave
        /// Lets go of what it holds; the transport has dropped it already.
        case letGo
    }

    /// The next state, and what to do there.
    struct Move: Equatable, Sendable {
        let state: TransferState
        let effect: Effect

        init(_ state: TransferState, _ effect: Effect = .none) {
            self.state = state
            self.effect = effect
        }
    }

    /// The move that an event makes; nil where it means nothing.
    func move(on event: Event) -> Move? {
        switch (self, event) {
        case (.over, _): nil
        case (_, .cancel): Move(.over, .leave)
        case (_, .abandon): Move(.over, .letGo)

        case (.idle, .start): Move(.queued, .enqueue)
        case (.idle, _): nil
        case (_, .abort): Move(.over, .fail)

        case (.queued, .begin), (.lookingUp, .begin): Move(.exchanging)

        case (.queued, .suspend), (.lookingUp, .suspend), (.exchanging, .suspend):
            Move(.suspended, .giveUpPlace)
        case (.suspended, .resume): Move(.queued, .enqueueAgain)

        case (.exchanging, .lookUp): Move(.lookingUp, .lookUp)
        case (.exchanging, .startAgain): Move(.queued, .enqueueAgain)
        case (.exchanging, .showHead): Move(.undecided)
        case (.exchanging, .complete): Move(.over, .failInsideHead)
        case (.exchanging, .fail): Move(.over, .fail)

        case (.undecided, .deliver): Move(.delivering, .resume)
        case (.undecided, .discard): Move(.discarding, .resumeToDiscard)
        case (.undecided, .complete): Move(.completeUndecided)
        case (.undecided, .fail): Move(.over, .fail)

        case (.delivering, .complete): Move(.draining, .drain)
        case (.delivering, .fail): Move(.over, .fail)
        // How an unwanted body ends does not matter.
        case (.discarding, .complete), (.discarding, .fail): Move(.over, .succeed)

        case (.completeUndecided, .deliver), (.completeUndecided, .discard):
            Move(.draining, .drainSoon)

        case (.draining, .drain): Move(.over, .succeed)
        case (.draining, .fail): Move(.over, .fail)

        default: nil
        }
    }

    /// Whether libcurl has the transfer, so that a callback means something.
    var isWithLibcurl: Bool {
        switch self {
        case .exchanging, .undecided, .delivering, .discarding: true
        case .idle, .queued, .lookingUp, .suspended, .completeUndecided, .draining, .over: false
        }
    }

    /// Whether the transfer waits for the server or the resolver, so that its idle limit counts. In the
    /// other states it waits for a connection or for the delegate.
    var isIdlenessLimited: Bool {
        switch self {
        case .lookingUp, .exchanging, .delivering, .discarding, .draining: true
        case .idle, .queued, .suspended, .undecided, .completeUndecided, .over: false
        }
    }
}
