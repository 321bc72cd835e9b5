/// Whether a load is suspended, and what goes on when it is resumed.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
struct LoadSuspension {
    enum Phase {
        case off, on
        /// It was resumed, and goes on from the run loop; until then nothing overtakes what is held.
        case resuming
    }

    var phase = Phase.off
    /// In their order.
    var held: [() -> Void] = []
}

// What a suspended load does with what comes: the second part of the table.
extension Load {
    /// What comes to a load.
    enum Arrival: CaseIterable, Sendable {
        /// The load's own next step: its start, an answer, another try, a stored response, a piece of a file, its end.
        case step
        /// A connection's slot, which the transfer waited for.
        case slot
        /// The addresses that were looked up.
        case addresses
        /// A socket was given up; libcurl has another address to try.
        case nextAddress
        /// libcurl is about to send the request for the first time.
        case request
        /// libcurl sends the request once more by itself.
        case repeatedRequest
        /// The body is needed from its beginning, and only the delegate may have it.
        case newBody
        /// libcurl asks for bytes of the body.
        case source
        /// Bytes of the body are in the socket.
        case sent
        case head
        case bytes
        /// The delegate may have taken bytes.
        case room
        /// libcurl is done.
        case end
        /// The same, and nothing of the request was sent.
        case endUnsent
        /// Nothing was received or sent for too long.
        case idleLimit
        /// The load took too long in all.
        case deadline
    }

    /// What becomes of it while the load is suspended.
    enum Meanwhile: Sendable {
        case goesOn
        /// It is kept until the load is resumed.
        case isHeld
        /// libcurl pauses in this direction.
        case pauses
        /// The transfer gives up its slot and libcurl's handle; when it is resumed it queues again.
        case leaves
        /// The transfer is dropped, and the request prepared anew when the load is resumed.
        case isPreparedAnew
        /// It does not count.
        case isIgnored
    }

    /// What becomes of what comes while the load is suspended.
    func meanwhile(_ arrival: Arrival) -> Meanwhile {
        switch (self, arrival) {
        case (.over, _): .isIgnored
        case (_, .deadline): .goesOn
        case (_, .step): .isHeld

        // An unwanted body is read to its end, of which nothing is told.
        case (.discarding, .bytes), (.discarding, .end), (.discarding, .endUnsent): .goesOn

        case (.queued, .slot), (.lookingUp, .addresses): .leaves
        case (.exchanging, .request), (.exchanging, .endUnsent): .leaves
        // It was begun before the load was suspended.
        case (_, .repeatedRequest): .goesOn
        case (_, .newBody): .isPreparedAnew

        case (_, .source), (_, .bytes), (_, .room): .pauses
        case (_, .sent), (_, .head), (_, .end), (_, .endUnsent): .isHeld
        case (_, .slot), (_, .addresses), (_, .nextAddress), (_, .request), (_, .idleLimit):
            .isIgnored
        }
    }

    /// The moves of a suspended load that differ: what would ask for a slot asks for it when it is resumed.
    func moveWhileSuspended(on event: Event) -> Move? {
        switch (self, event) {
        case (.preparing, .send): Move(.unsent)
        case (.exchanging, .startAgain), (.exchanging, .lookUp): Move(.unsent, .leaveSlot)
        case (.unsent, .resume): nil
        default: move(on: event)
        }
    }
}
