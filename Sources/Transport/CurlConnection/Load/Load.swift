/// The state of a load, from its start to its last delegate call: a pure table.
///
/// A load is what one `URLConnection` does: one request after the other, until the delegate has the final response.
/// Each request that goes out is a `Transfer`, an easy handle of libcurl's; the `RunLoopTransport` has the multi handle
/// and the connections to servers. A transfer ends before its load does: the load then follows a redirect, tries again,
/// or ends.
///
/// The drivers, `URLConnection` and `Transfer`, send the events and carry out the effects. An event that is not in the
/// table changes nothing. The effect is carried out once the load is in the new state. A delegate's call may cancel or
/// suspend the load: each event that follows finds the state that it has by then.
///
/// How a load ends:
/// - After its transfer has ended, or without one: `finish`.
/// - With a transfer: `finish` would leave that in libcurl. So the drivers first send `cancelTransfer`, which leads to
///   `preparing`, and then `finish`.
/// - The thread ends: `closeTransport` where there is a transfer, else `finish`. The delegate gets no call.
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
    /// The delegate gets a response from the cache's memory, or all of one is read; nothing is sent.
    case serving
    /// A `file:` or `data:` URL or the file of a stored response is read, or `configuration.protocolClasses` have the
    /// request; `serve` follows, or `prepare` if no class takes it or one redirects.
    case reading

    // From here to `consuming` there is a transfer.

    /// Waits for a slot: only so many transfers may use connections at once, to each origin and in all.
    case queued
    /// Removed from libcurl until the addresses of its hosts are known. It keeps its slot.
    case lookingUp
    /// Suspended before its request was sent, or before it was sent again (`startAgain`): it has no slot, and libcurl does
    /// not have its handle.
    case unsent
    /// libcurl has it, and the load has not taken a response's header. A complete header may be held: while the load is
    /// suspended, or while libcurl may still send the request once more by itself, as after a 401 or 407.
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
        /// A local address or the file of a stored response is to be read, or the protocol classes get the request.
        case read
        /// A transfer is started.
        case send
        /// The load is over: before the delegate's last call; or the caller cancels or the thread ends, and the delegate
        /// gets no call.
        case finish

        // Events of the transfer.

        /// It has its slot, or the addresses that were looked up: its handle is added to libcurl.
        case add
        /// libcurl needs an address that was not looked up yet.
        case lookUp
        /// The same transfer waits for a slot again, and begins anew. The drivers send it in these cases:
        /// - A connection that an earlier request had left open cannot be used. Nothing was sent on it.
        /// - No socket could be opened, and idle connections can be closed to make room.
        /// - The load was suspended when the request was about to be sent, and was resumed before libcurl had ended.
        /// - The server has answered the request's `Expect` with 417. The request goes out without that field.
        /// - The server closed a kept HTTP/2 connection after the request was sent, without an answer. Only an idempotent
        ///   request starts again.
        case startAgain
        /// The transfer leaves the queue, the look-up or libcurl, since the load is suspended. The driver sends it from the
        /// run loop, after the caller's `suspend()` has returned, or earlier for an arrival that `becomesUnsent`.
        ///
        /// The table has a move for `exchanging` whatever was sent. The driver, `Transfer`, checks that: to a transfer that
        /// libcurl has, it sends the event only if no request was sent.
        case suspend
        /// The load goes on. The driver sends it to every transfer, from the run loop. It means something only in `unsent`;
        /// in the other states the driver itself has libcurl continue, without a move.
        case resume
        /// The header is complete, and the load takes it as the response's.
        case showHead
        /// The delegate wants the body.
        case deliver
        /// The delegate, or the load, does not want the body.
        case discard
        /// libcurl is done, and nothing is wrong; or the limit of time for an unwanted body is reached.
        case complete
        /// libcurl is done, and something is wrong; an unwanted body is too long; or the body cannot be decoded.
        case fail
        /// The load ends its transfer itself: a time limit has passed, libcurl could not be given the transfer, a look-up
        /// could not begin, or the kernel refuses to watch a socket.
        case abort
        /// Everything is decoded, and the delegate has consumed every byte.
        case consume
        /// The load cancels its transfer, because it ends or sends another request.
        case cancelTransfer
        /// The transport is closed, because its thread ends. The load is over at once, without `cancelTransfer`. A load
        /// without a transfer gets `finish` then.
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
        case endOnceConsumedSoon
        /// The transfer ends well, and the load decides what follows.
        case endTransfer
        /// The transfer ends with an error, and the load decides whether it fails with it.
        case endTransferWithError
        /// The transfer ends with the error that the connection was closed before the header was complete.
        case endTransferInsideHeader
        /// The transfer is removed; nothing follows.
        case removeTransfer
        /// The closed transport removes the transfer itself. The load is over without a call of the delegate.
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

// What a suspended load does: the second part of the table.
//
// Two things have one word. "The load is suspended" is a flag of the driver, `URLConnection`: it is set inside the
// caller's `suspend()`. The event `suspend` moves the transfer, and comes later.
//
// 1. The caller calls `suspend()`. From now on the driver asks `meanwhile` and `moveWhileSuspended`.
// 2. From the run loop the driver sends the event `suspend` if libcurl does not have the transfer, or has sent no request
//    of it. In `queued`, `lookingUp` and `exchanging` the transfer becomes `unsent`. In `completeUndecided` and
//    `consuming` the event changes nothing.
// 3. If libcurl still has the transfer, the driver pauses it both ways. In `discarding` it does not: receiving goes on,
//    and sending pauses once libcurl asks for more of the body (`source`).
// 4. The caller calls `resume()`. The load still counts as suspended (the driver's phase `resuming`), so that nothing new
//    overtakes what is held.
// 5. From the run loop the driver ends the suspension, and then sends the event `resume`. An `unsent` transfer goes to the
//    end of the queue; the driver has libcurl continue any other. Then what was held is done, in order.
//
// `meanwhile` has a row for each thing that may arrive from 1 to 5: before the event `suspend`, or although libcurl is
// paused.
extension Load {
    /// What comes to a load.
    enum Arrival: CaseIterable, Sendable {
        /// What does not come from a transfer: the load's start, the delegate's answer, another try that is due, a stored
        /// response, a piece of a file, the delegate's last call.
        case step
        /// The slot that the transfer waited for.
        case slot
        /// The addresses that were looked up.
        case addresses
        /// libcurl could not connect to an address. It has chosen the next one, and the driver makes it look at that.
        case nextAddress
        /// libcurl is about to send the request for the first time.
        case request
        /// libcurl sends the request once more by itself.
        case repeatedRequest
        /// The body is needed from its beginning, and only the delegate can supply it.
        case newBody
        /// libcurl asks for bytes of the body.
        case source
        /// Bytes of the body were sent: the delegate's progress.
        case sent
        case head
        case bytes
        /// The delegate may have consumed bytes, and could get more.
        case demand
        /// libcurl is done with the transfer.
        case result
        /// libcurl is done with the transfer, and has sent nothing of the request: no connection could be made or used.
        case resultUnsent
        /// Nothing was received or sent for too long.
        case idleLimit
        /// The load took too long in all.
        case deadline
    }

    /// What is done with an arrival while the load is suspended.
    enum Meanwhile: Sendable {
        case goesOn
        /// It is kept until the load is resumed.
        case isHeld
        /// libcurl pauses in this direction, or stays paused.
        case pauses
        /// The event `suspend` has not been sent yet, so the driver sends it now: the slot goes to the next load, and
        /// the request is not sent. An error that libcurl reported before it sent the request is dropped, since the
        /// request is sent later.
        case becomesUnsent
        /// The transfer is cancelled now. When the load is resumed, the request is prepared anew.
        case isPreparedAnew
        /// Nothing is done, and nothing is kept:
        /// - `nextAddress`: no request was sent, so the event `suspend` follows, and the transfer later connects anew. If
        ///   the caller resumes before that event, the driver has libcurl try the address when the load goes on.
        /// - `idleLimit`: the time of the suspension does not count. The driver begins to measure anew at the resume.
        /// - `slot`, `addresses` and `request` come in no state that is left for these rows.
        case isIgnored
    }

    /// What becomes of what comes while the load is suspended, until the driver ends that, right before it sends `resume`.
    func meanwhile(_ arrival: Arrival) -> Meanwhile {
        switch (self, arrival) {
        case (.over, _): .isIgnored
        case (_, .deadline): .goesOn
        case (_, .step): .isHeld

        // An unwanted body is read on, since the delegate gets nothing of it. The load's next step is held.
        case (.discarding, .bytes), (.discarding, .result), (.discarding, .resultUnsent): .goesOn

        case (.queued, .slot), (.lookingUp, .addresses): .becomesUnsent
        case (.exchanging, .request), (.exchanging, .resultUnsent): .becomesUnsent
        // The request was sent before the load was suspended, and the server may have answered.
        case (_, .repeatedRequest): .goesOn
        case (_, .newBody): .isPreparedAnew

        case (_, .source), (_, .bytes), (_, .demand): .pauses
        case (_, .sent), (_, .head), (_, .result), (_, .resultUnsent): .isHeld
        case (_, .slot), (_, .addresses), (_, .nextAddress), (_, .request), (_, .idleLimit):
            .isIgnored
        }
    }

    /// The moves of a suspended load that differ: what would ask for a slot or for addresses does so when it is resumed.
    /// The row of `resume` is a safeguard: the driver sends it only once the load is not suspended any more.
    func moveWhileSuspended(on event: Event) -> Move? {
        switch (self, event) {
        case (.preparing, .send): Move(.unsent)
        case (.exchanging, .startAgain), (.exchanging, .lookUp): Move(.unsent, .leaveSlot)
        case (.unsent, .resume): nil
        default: move(on: event)
        }
    }
}
