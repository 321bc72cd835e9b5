/// The state of one operation. Each method is an event: it may change the state, and returns what the operation does
/// about it.
///
/// It calls no code and holds no object. The driver, `URLConnectionOperation`, sends each event under its lock, and
/// performs the actions without it, in the order of the events (`Outbox`). An event that has no meaning in the current
/// state returns `.none`.
///
/// The states and the order of their announcements are AFNetworking 2's. Different from it:
/// - A cancelled operation ends even while it is paused.
/// - A result counts although a `pause` came before it. The machine has no limit for that. The driver has: its job
///   `interrupt` cancels the connection, which has no result after that.
/// - Only the queue, or the caller, calls `start`; a `resume` of a started operation restarts it without `start`.
/// - Each notification of a start is followed by one of a finish.
/// - In a queue with limits, an operation that was started waits for a slot.
struct OperationMachine {
    /// The number of a run: the first start and each restart after a pause begin one, with its own connection.
    typealias Run = Int32

    /// The key path that is true in a state. The numbers are the original's.
    enum Key: Int, CaseIterable, Sendable {
        case paused = -1
        case ready = 1
        case executing = 2
        case finished = 3

        var keyPath: String {
            switch self {
            case .paused: "isPaused"
            case .ready: "isReady"
            case .executing: "isExecuting"
            case .finished: "isFinished"
            }
        }
    }

    enum State: Hashable, Sendable {
        /// - `wasStarted` false: no start had an effect yet.
        /// - `wasStarted` true, after a resume: `restart` follows, also after a cancel, which adds the job `abort`.
        /// - `wasStarted` true, after a start of a cancelled or failed operation: it never runs, and the job `abort`
        ///   ends it.
        case ready(wasStarted: Bool)
        /// Started or restarted, and without a slot. No key path is true.
        case waiting
        case executing(Run)
        /// With `wasStarted`, it was started before the pause or while paused, and its resume restarts it. Without, its
        /// queue still has to start it after the resume.
        case paused(wasStarted: Bool)
        case finished

        var key: Key? {
            switch self {
            case .ready: .ready
            case .waiting: nil
            case .executing: .executing
            case .paused: .paused
            case .finished: .finished
            }
        }
    }

    enum Outcome: Hashable, Sendable { case success, failure, cancelled }

    /// A job for the network thread.
    enum Job: Hashable, Sendable {
        /// Makes the connection and starts it.
        case begin(Run)
        /// Cancels that run's connection, and keeps the received bytes.
        case interrupt(Run)
        /// Cancels the connection, and ends with the cancel's error or the failure.
        case abort
    }

    enum Notification: Hashable, Sendable { case didStart, didFinish }

    /// A call to the limiter of the queue.
    enum SlotCall: Hashable, Sendable {
        /// Requests a slot; `slotGiven` follows, at once or later. Before the first run the driver does nothing while a
        /// dependency has not ended: `slotNeeded` follows at its end.
        case request
        /// Withdraws the request, or returns a slot that is not used yet. Once a run has begun, the limiter ignores it.
        case withdraw
        /// Takes a slot whatever the limits say, for an operation that ran before the queue had limits. One that has a
        /// slot keeps it: for that one the limiter does nothing.
        case take
    }

    struct Move: Hashable, Sendable {
        var old: Key?
        var new: Key?
    }

    /// What an event leads to. No array, so that nothing is allocated. The getters change with the event, before the
    /// driver performs any of this. Its order:
    ///
    /// 1. `slot`, if it is `withdraw`.
    /// 2. `cancels`.
    /// 3. `notification`, unless there is an `end`.
    /// 4. `job`, if it is `interrupt`. For `begin` the operation takes its slot now, and the job comes last.
    /// 5. `end`: the finish hooks.
    /// 6. `move`.
    /// 7. `announcesReady`.
    /// 8. `restarts`. The actions of `restart` are performed after those of events that wait already.
    /// 9. `makesObject`.
    /// 10. `end`: its `notification`, the completion, and then the operation leaves the limiter.
    /// 11. `slot`, if it is `request` or `take`.
    /// 12. The actions of all events that wait by then.
    /// 13. `job`, if it is `begin` or `abort`: the jobs of all these events are enqueued, in the order of the events.
    struct Actions: Hashable, Sendable {
        /// Foundation's `cancel` is called, and the change of `isCancelled` announced.
        var cancels = false
        var notification: Notification?
        /// The run gets its connection; false where the operation is cancelled.
        var connects = false
        var job: Job?
        var end: Outcome?
        /// The changes of the old and then of the new key are announced.
        var move: Move?
        /// `isReady` is announced once more, if it is true. No event here sets it. The driver makes such actions itself
        /// when a dependency was added or has ended, or when readiness may have changed while it was added to a queue.
        var announcesReady = false
        /// The driver sends `restart`.
        var restarts = false
        /// The response's object is made on another thread, and then `objectMade` is sent.
        var makesObject = false
        var slot: SlotCall?

        static let none = Actions()
    }

    private(set) var state: State
    private var runs: Run = 0
    /// Dispatched completions that have not returned; the blocks are kept until the last has.
    private var completionsUnderWay: Int32 = 0
    private(set) var isCancelled: Bool
    /// It failed while it was paused and not started: its start ends it.
    private(set) var hasFailed: Bool
    /// The response's object is being made before the end.
    private(set) var isMakingObject: Bool
    /// The caller's blocks were released.
    private(set) var isReleased = false
    /// It has a success or failure block that was not called yet.
    var owesResult = false
    /// `didStart` was posted, and no `didFinish` since.
    private var isStartOpen = false
    private var wasStartPosted = false

    /// - Parameter state: `ready`, or `finished` from an archive. Other states and parameters are for tests.
    init(
        _ state: State = .ready(wasStarted: false), isCancelled: Bool = false,
        hasFailed: Bool = false, isMakingObject: Bool = false
    ) {
        self.state = state
        self.isCancelled = isCancelled
        self.hasFailed = hasFailed
        self.isMakingObject = isMakingObject
        isReleased = state == .finished
        if case .executing(let run) = state { runs = run }
    }

    /// Whether `start` was called; Foundation stops a program that adds such an operation to a queue.
    var wasStarted: Bool {
        switch state {
        case .ready(let wasStarted), .paused(let wasStarted): wasStarted
        case .waiting, .executing, .finished: true
        }
    }

    /// Whether `fail(with:)` ends it at once. It does not after an earlier failure, whose end is still to follow.
    var mayFail: Bool { wasStarted && state != .finished && !hasFailed }

    /// Whether it was ever executing. In a queue with limits the slot is the operation's from then until its end, over
    /// pauses too: a `withdraw` does nothing any more.
    var hasRun: Bool { runs != 0 }

    /// Whether the operation retains itself: it is paused, and its success or failure is still to be called. While it
    /// runs, its connection retains it, and while it waits or is ready, the caller or the queue.
    var retainsItself: Bool { state == .paused(wasStarted: true) && owesResult }

    /// Whether its start ends it.
    private var mustEnd: Bool { isCancelled || hasFailed }

    // MARK: - Events of callers and queues

    /// `start` was called, by the queue or by a caller. Between a resume and its `restart` it begins the next run, and
    /// that `restart` then does nothing.
    ///
    /// - Parameter hasSlot: true where the queue has no limits; false where the limiter is to be asked, which answers
    ///   at once if the operation has a slot already.
    mutating func start(areDependenciesDone: Bool, hasSlot: Bool = true) -> Actions {
        switch state {
        case .ready where mustEnd:
            // The network thread ends it: no announcement of an execution.
            state = .ready(wasStarted: true)
            return Actions(job: .abort)
        case .ready where areDependenciesDone:
            return hasSlot ? execute() : wait()
        case .paused where areDependenciesDone:
            // The queue calls `start` once; this is that call, and the resume will restart the operation.
            state = .paused(wasStarted: true)
            return .none
        case .ready, .waiting, .executing, .paused, .finished:
            return .none
        }
    }

    /// The operation needs a slot, if it can start, or takes one, if it has run. The driver sends this:
    /// - The operation enters a queue with limits, or its queue gets its first limit.
    /// - A dependency has ended, in a queue with limits.
    /// - The limiter has given the slot to a request that waited. The machine then requests once more; that request
    ///   gets the slot at once, and `slotGiven` follows.
    mutating func slotNeeded(areDependenciesDone: Bool) -> Actions {
        switch state {
        case .ready(wasStarted: false), .waiting:
            return mustEnd || !areDependenciesDone ? .none : Actions(slot: .request)
        case .executing, .ready(wasStarted: true), .paused(wasStarted: true):
            // One without a run yet requests its slot when it is restarted.
            return hasRun ? Actions(slot: .take) : .none
        case .paused(wasStarted: false), .finished:
            return .none
        }
    }

    /// The driver has performed a `request`, and the limiter has said that the operation has its slot. If it waits, it
    /// executes. Before its start nothing changes here: the limiter keeps the slot for it, and the request of its start
    /// gets it. After a pause or a cancel this does nothing.
    ///
    /// The driver does not send it for a request that was withdrawn meanwhile (`Outbox`).
    mutating func slotGiven() -> Actions {
        state == .waiting && !mustEnd ? execute() : .none
    }

    /// A dependency was added that has not ended. The operation returns its slot or withdraws the request, since the
    /// dependency may need that slot; it requests one again when the dependency has ended.
    mutating func dependencyAdded() -> Actions {
        state == .ready(wasStarted: false) || state == .waiting
            ? Actions(slot: .withdraw) : .none
    }

    mutating func cancel() -> Actions {
        if isCancelled || state == .finished { return .none }
        isCancelled = true
        var actions = Actions(cancels: true)
        switch state {
        case .paused(wasStarted: false):
            // Ready, so that its queue calls `start`, which ends it. Without a queue the caller has to call it.
            actions = move(to: .ready(wasStarted: false))
            actions.cancels = true
        case .waiting:
            (actions.job, actions.slot) = (.abort, .withdraw)
        case .ready(wasStarted: true), .executing, .paused(wasStarted: true):
            actions.job = .abort
        case .ready(wasStarted: false):
            actions.slot = .withdraw
        case .finished:
            break
        }
        return actions
    }

    mutating func pause() -> Actions {
        if mustEnd { return .none }
        switch state {
        case .ready(let wasStarted):
            var actions = move(to: .paused(wasStarted: wasStarted))
            actions.slot = .withdraw
            return actions
        case .waiting:
            var actions = move(to: .paused(wasStarted: true))
            actions.slot = .withdraw
            return actions
        case .executing(let run):
            var actions = move(to: .paused(wasStarted: true))
            actions.job = .interrupt(run)
            if isStartOpen { actions.notification = .didFinish }
            isStartOpen = false
            return actions
        case .paused, .finished:
            return .none
        }
    }

    /// Makes a paused operation ready. If it was started, `restart` follows the announcement of that; if not, its queue
    /// starts it, and it requests its slot for that.
    mutating func resume() -> Actions {
        guard !isCancelled, case .paused(let wasStarted) = state else { return .none }
        var actions = move(to: .ready(wasStarted: wasStarted))
        actions.restarts = wasStarted
        if !wasStarted { actions.slot = .request }
        return actions
    }

    /// The second half of a resume, once it was announced: begins the next run, unless the operation was paused or
    /// started, or has ended, since.
    ///
    /// A cancel in between does not prevent it. The operation still becomes executing, or, with limits, waiting without
    /// a request, until the job `abort` ends it. If `began` comes before that end, `didStart` is posted, but no
    /// connection is made.
    ///
    /// - Parameter hasSlot: as of `start`.
    mutating func restart(hasSlot: Bool = true) -> Actions {
        guard state == .ready(wasStarted: true) else { return .none }
        return hasSlot ? execute() : wait()
    }

    /// `fail(with:)` while it is paused and not started. It becomes ready, and its start ends it: Foundation's queue
    /// crashes if an operation finishes that it has not started.
    ///
    /// - Returns: nil in any other state.
    mutating func failBeforeStart() -> Actions? {
        guard state == .paused(wasStarted: false) else { return nil }
        hasFailed = true
        return move(to: .ready(wasStarted: false))
    }

    // MARK: - Events of the network thread

    /// The network thread performs the job `begin`. A run that is no longer the current one gets no connection, nor
    /// one whose response came in the run before and is being made an object.
    mutating func began(_ run: Run) -> Actions {
        guard state == .executing(run), !isMakingObject else { return .none }
        isStartOpen = true
        wasStartPosted = true
        return Actions(notification: .didStart, connects: !isCancelled)
    }

    /// A result of the connection, of `fail(with:)`, or of the job `abort`. After a cancel the outcome is `cancelled`,
    /// whatever the result. A failure or cancel while the object is made ends the operation at once.
    ///
    /// - Parameter isObjectFirst: whether a success has its object made before the end.
    mutating func ended(_ outcome: Outcome, isObjectFirst: Bool = false) -> Actions {
        switch state {
        case .ready(wasStarted: true), .waiting, .executing, .paused(wasStarted: true):
            guard outcome == .success, isObjectFirst, !isCancelled else { return end(outcome) }
            if isMakingObject { return .none }
            isMakingObject = true
            return Actions(makesObject: true)
        case .ready, .paused, .finished:
            return .none
        }
    }

    mutating func objectMade() -> Actions {
        isMakingObject && state != .finished ? end(.success) : .none
    }

    // MARK: - After the end

    mutating func completionBegins() { completionsUnderWay += 1 }

    /// - Returns: whether no other completion is under way, so that the blocks are released.
    mutating func completionEnds() -> Bool {
        completionsUnderWay -= 1
        return completionsUnderWay == 0
    }

    mutating func release() { isReleased = true }

    // MARK: - Moves

    private mutating func move(to new: State) -> Actions {
        defer { state = new }
        return Actions(move: Move(old: state.key, new: new.key))
    }

    private mutating func wait() -> Actions {
        var actions = move(to: .waiting)
        // Its end follows, for which it needs no slot.
        if !mustEnd { actions.slot = .request }
        return actions
    }

    private mutating func execute() -> Actions {
        runs &+= 1
        var actions = move(to: .executing(runs))
        actions.job = .begin(runs)
        return actions
    }

    /// Without any `didStart` before, `didFinish` is posted all the same.
    private mutating func end(_ outcome: Outcome) -> Actions {
        var actions = move(to: .finished)
        isMakingObject = false
        if isStartOpen || !wasStartPosted { actions.notification = .didFinish }
        isStartOpen = false
        actions.end = isCancelled ? .cancelled : outcome
        return actions
    }
}
