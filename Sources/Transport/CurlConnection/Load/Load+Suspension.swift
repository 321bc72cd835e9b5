/// Whether a load is suspended, and what was kept meanwhile.
///
/// `suspend()` leads from each phase to `on`. `resume()` leads from `on` to `resuming`, or, where there is neither a
/// transfer nor anything held, to `off`. From `resuming` the run loop leads to `off`, and then does what was held.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
struct LoadSuspension {
    enum Phase {
        case off, on
        /// It was resumed a moment ago. Until the run loop calls, everything is as while it is suspended, so that
        /// what comes now does not overtake what is held.
        case resuming
    }

    var phase = Phase.off
    /// What is done when the load goes on, in the order in which it came. If one of them suspends the load again, the rest
    /// stays, before what comes later.
    var held: [() -> Void] = []
}

// What a suspended load does: the second part of the table.
//
// After the caller's `suspend()` the run loop sends the event `suspend` to a transfer whose request was not sent: it
// leaves the queue or libcurl, and is `unsent`. The other transfers are paused in libcurl, except one that discards a
// body. `meanwhile` has a row for each thing that may still arrive: before the run loop has sent that event, or although
// libcurl is paused. When the load goes on, an `unsent` transfer goes to the end of the queue, and libcurl continues the
// others; then what was held is done, in order.
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
        /// libcurl could not connect to an address, and tries the next one.
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
        case room
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
        /// The run loop has not sent the event `suspend` yet, so it happens now: the slot goes to the next load, and the
        /// request is not sent.
        case becomesUnsent
        /// The transfer is cancelled, and the request prepared anew when the load is resumed.
        case isPreparedAnew
        /// Nothing; what the load needs once it goes on, it asks for again.
        case isIgnored
    }

    /// What becomes of what comes while the load is suspended.
    func meanwhile(_ arrival: Arrival) -> Meanwhile {
        switch (self, arrival) {
        case (.over, _): .isIgnored
        case (_, .deadline): .goesOn
        case (_, .step): .isHeld

        // An unwanted body is read on, since the delegate gets nothing of it. The load's next step is held.
        case (.discarding, .bytes), (.discarding, .result), (.discarding, .resultUnsent): .goesOn

        case (.queued, .slot), (.lookingUp, .addresses): .becomesUnsent
        case (.exchanging, .request), (.exchanging, .resultUnsent): .becomesUnsent
        // It was sent before the load was suspended, and the server may have answered.
        case (_, .repeatedRequest): .goesOn
        case (_, .newBody): .isPreparedAnew

        case (_, .source), (_, .bytes), (_, .room): .pauses
        case (_, .sent), (_, .head), (_, .result), (_, .resultUnsent): .isHeld
        case (_, .slot), (_, .addresses), (_, .nextAddress), (_, .request), (_, .idleLimit):
            .isIgnored
        }
    }

    /// The moves of a suspended load that differ: what would ask for a slot or for addresses does so when it is resumed.
    /// A `resume` that the run loop sends after the load was suspended again means nothing.
    func moveWhileSuspended(on event: Event) -> Move? {
        switch (self, event) {
        case (.preparing, .send): Move(.unsent)
        case (.exchanging, .startAgain), (.exchanging, .lookUp): Move(.unsent, .leaveSlot)
        case (.unsent, .resume): nil
        default: move(on: event)
        }
    }
}
