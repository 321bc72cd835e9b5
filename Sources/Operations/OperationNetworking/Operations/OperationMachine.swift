/// The state of an operation: each method is an event, which may change the state and returns what is to be
/// done (OP-1 to OP-7, OP-10 to OP-16, NO-1 of the specification).
///
/// It is AFNetworking 2's table with defects 12, 13, 14, 27 and 52 repaired: an operation that is cancelled
/// while it is paused ends, a result that came before a pause took effect counts, `start` is called either
/// by the queue or by the operation itself, and each notification of a start gets one of a finish. In a queue
/// with limits it waits for its place where it was started.
///
/// It calls no code and holds no object. The operation sends it events under its lock, and performs what it
/// returns before it releases the lock. A result of an earlier run counts too, until the network thread has
/// performed that run's `interrupt`.
struct OperationMachine {
    /// Counts the runs, so that a job of one never touches the next.
    typealias Run = Int32

    /// The key path that is true in a state and in no other. The numbers are the original's.
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
        /// - Parameter wasStarted: `start` was called before; what follows is the operation's own `goOn`, or the end
        ///   of one that was cancelled or has failed.
        case ready(wasStarted: Bool)
        /// `start` was called; it has no place yet. No key path is true.
        case waiting
        case executing(Run)
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

    /// What the network thread is to do.
    enum Job: Hashable, Sendable {
        /// Make the connection and start it.
        case begin(Run)
        /// Cancel the connection, keep what it brought.
        case interrupt(Run)
        /// Cancel the connection and end with what stopped the operation.
        case abort
    }

    enum Notification: Hashable, Sendable { case didStart, didFinish }

    /// What becomes of the operation's place among those of its queue.
    enum Place: Hashable, Sendable {
        /// It is asked for; `placeGiven` follows, at once or later.
        case ask
        /// Others may have it, since the operation cannot start. It is asked for again.
        case withdraw
        /// The limits came while it ran: it counts, whatever they say.
        case take
    }

    /// A move from one state to another.
    struct Move: Hashable, Sendable {
        var old: Key?
        var new: Key?
    }

    /// What is to be done, in this order: a place is withdrawn; the notification, unless it is that of an end; the
    /// move, inside whose announcement the job is enqueued, before the old and then the new key's change is
    /// announced; `goOn`; the object; a place is asked for or taken. An end's finish hooks are called inside the announcement, its notification and its
    /// completion come behind it, and then its place is left. No array, so that nothing is allocated.
    struct Actions: Hashable, Sendable {
        var notification: Notification?
        /// It is not cancelled: the run gets its connection.
        var connects = false
        /// Both keys are announced as key-value observing has it.
        var move: Move?
        var job: Job?
        /// The operation sends `goOn`.
        var goesOn = false
        var makesObject = false
        var place: Place?
        /// Finish hooks are called before the announcement, the completion after it.
        var end: Outcome?

        static let none = Actions()
    }

    private(set) var state: State
    /// The latest run's number.
    private var runs: Run = 0
    /// Completions that are on their way to the caller; the blocks are kept until the last has run.
    private var completionsUnderWay: Int32 = 0
    private(set) var isCancelled: Bool
    /// It failed while it was paused and nobody had started it: its start ends it.
    private(set) var hasFailed: Bool
    /// The response's object is being made before the end.
    private(set) var isMakingObject: Bool
    /// The blocks were released, after the last completion.
    private(set) var isReleased = false
    /// Success or failure is to be called.
    var owesResult = false
    /// A start was posted, and no finish since.
    private var isStartOpen = false
    private var wasEverAnnounced = false

    /// - Parameter state: ready, or that of an archive. Other states and the other parameters are for tests.
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

    /// Whether `start` was called, so that no queue may take it.
    var wasStarted: Bool {
        switch state {
        case .ready(let wasStarted), .paused(let wasStarted): wasStarted
        case .waiting, .executing, .finished: true
        }
    }

    /// Whether it has ever executed.
    var hasRun: Bool { runs != 0 }

    /// Whether the operation retains itself: paused, with success or failure to be called. While it runs, its
    /// connection retains it. One that was never started is not retained.
    var keepsItself: Bool { state == .paused(wasStarted: true) && owesResult }

    /// Whether its start ends it.
    private var isOver: Bool { isCancelled || hasFailed }

    // MARK: - Events of callers and queues. What means nothing in a state does nothing (OP-3).

    /// Its queue, or a caller without a queue, starts it.
    ///
    /// - Parameter hasPlace: whether it has its place, or needs none.
    mutating func start(areDependenciesDone: Bool, hasPlace: Bool = true) -> Actions {
        switch state {
        case .ready where isOver:
            state = .ready(wasStarted: true)
            return Actions(job: .abort)
        case .ready where areDependenciesDone:
            return hasPlace ? execute() : wait()
        case .paused where areDependenciesDone:
            // The queue called `start` just after the pause; it calls it once.
            state = .paused(wasStarted: true)
            return .none
        case .ready, .waiting, .executing, .paused, .finished:
            return .none
        }
    }

    /// Its queue has limits, and takes it or has it already; or what it waited for has ended there.
    mutating func limited(areDependenciesDone: Bool) -> Actions {
        switch state {
        case .ready(wasStarted: false), .waiting:
            return isOver || !areDependenciesDone ? .none : Actions(place: .ask)
        case .executing, .ready(wasStarted: true), .paused(wasStarted: true):
            // One that ends before its first run needs none.
            return hasRun ? Actions(place: .take) : .none
        case .paused(wasStarted: false), .finished:
            return .none
        }
    }

    /// Whether it may ask for a place: an announcement may have changed that.
    var mayAsk: Bool {
        (state == .waiting || state == .ready(wasStarted: false)) && !isOver
    }

    /// It has its place. One that has not been started keeps it until then.
    mutating func placeGiven() -> Actions {
        state == .waiting && !isOver ? execute() : .none
    }

    /// A dependency was added that has not ended: it must not wait for the operation's place. One that waits for
    /// its place waits for it too.
    mutating func dependencyAdded() -> Actions {
        state == .ready(wasStarted: false) || state == .waiting
            ? Actions(place: .withdraw) : .none
    }

    mutating func cancel() -> Actions {
        if isCancelled || state == .finished { return .none }
        isCancelled = true
        switch state {
        case .paused(wasStarted: false):
            // Ready again, so that its queue calls `start`, which ends it. Without a queue its caller has to.
            return move(to: .ready(wasStarted: false))
        case .waiting:
            return Actions(job: .abort, place: .withdraw)
        case .ready(wasStarted: true), .executing, .paused(wasStarted: true):
            return Actions(job: .abort)
        case .ready(wasStarted: false):
            return Actions(place: .withdraw)
        case .finished:
            return .none
        }
    }

    mutating func pause() -> Actions {
        if isOver { return .none }
        switch state {
        case .ready(let wasStarted):
            var actions = move(to: .paused(wasStarted: wasStarted))
            actions.place = .withdraw
            return actions
        case .waiting:
            var actions = move(to: .paused(wasStarted: true))
            actions.place = .withdraw
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

    /// One that was started begins again after the announcement, inside which the state may have changed.
    mutating func resume() -> Actions {
        guard !isCancelled, case .paused(let wasStarted) = state else { return .none }
        var actions = move(to: .ready(wasStarted: wasStarted))
        actions.goesOn = wasStarted
        return actions
    }

    /// A resume has been announced. A cancel in between ends the run that begins here.
    ///
    /// - Parameter hasPlace: whether it has its place, or needs none.
    mutating func goOn(hasPlace: Bool = true) -> Actions {
        guard state == .ready(wasStarted: true) else { return .none }
        return hasPlace ? execute() : wait()
    }

    /// It fails while it is paused and was never started. Foundation's queue must not see it finish before it
    /// has started it, so it becomes ready, and its start ends it.
    ///
    /// - Returns: nil where it is not so.
    mutating func failBeforeStart() -> Actions? {
        guard state == .paused(wasStarted: false) else { return nil }
        hasFailed = true
        return move(to: .ready(wasStarted: false))
    }

    // MARK: - Events of the network thread

    /// The network thread performs the job `begin`. Where the response is complete already and its object is
    /// being made, no connection is made.
    mutating func began(_ run: Run) -> Actions {
        guard state == .executing(run), !isMakingObject else { return .none }
        isStartOpen = true
        wasEverAnnounced = true
        return Actions(notification: .didStart, connects: !isCancelled)
    }

    /// A result: of the connection, of `fail(with:)`, or of the job `abort`. An earlier cancel wins, and one
    /// that comes while the object is made does not wait for it.
    ///
    /// - Parameter isObjectFirst: whether the object of a success is made before the end.
    mutating func ended(_ outcome: Outcome, isObjectFirst: Bool = false) -> Actions {
        switch state {
        case .ready(wasStarted: true) where isOver, .waiting, .executing,
            .paused(wasStarted: true):
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

    /// A completion is on its way to the caller.
    mutating func completionBegins() { completionsUnderWay += 1 }

    /// It has run.
    ///
    /// - Returns: whether it was the last one, so that the blocks are to be released.
    mutating func completionEnds() -> Bool {
        completionsUnderWay -= 1
        return completionsUnderWay == 0
    }

    /// The blocks are released.
    mutating func release() { isReleased = true }

    // MARK: - Moves

    private mutating func move(to new: State) -> Actions {
        defer { state = new }
        return Actions(move: Move(old: state.key, new: new.key))
    }

    private mutating func wait() -> Actions {
        var actions = move(to: .waiting)
        // One that is over has its end on its way.
        if !isOver { actions.place = .ask }
        return actions
    }

    private mutating func execute() -> Actions {
        runs &+= 1
        var actions = move(to: .executing(runs))
        actions.job = .begin(runs)
        return actions
    }

    /// An operation that never began posts only its finish (OP-16).
    private mutating func end(_ outcome: Outcome) -> Actions {
        var actions = move(to: .finished)
        isMakingObject = false
        if isStartOpen || !wasEverAnnounced { actions.notification = .didFinish }
        isStartOpen = false
        actions.end = isCancelled ? .cancelled : outcome
        return actions
    }
}

/// A key and how often it has changed, as one number: where two looks find the same number, nothing happened
/// in between.
struct CountedKey: Hashable, Sendable {
    let number: UInt32

    private static let keyBits: UInt32 = 7
    private static let one: UInt32 = 8

    init(number: UInt32) {
        self.number = number
    }

    /// The first one.
    init(_ key: OperationMachine.Key?) {
        number = Self.bits(of: key)
    }

    /// Nil while the operation waits for its place.
    var key: OperationMachine.Key? {
        OperationMachine.Key(rawValue: Int(number & Self.keyBits) - 1)
    }

    /// The next value; the count begins anew after 2^29.
    func next(_ key: OperationMachine.Key?) -> CountedKey {
        CountedKey(number: (number & ~Self.keyBits &+ Self.one) | Self.bits(of: key))
    }

    /// The cases' numbers are -1, 1, 2 and 3.
    private static func bits(of key: OperationMachine.Key?) -> UInt32 {
        UInt32((key?.rawValue ?? 0) + 1)
    }
}
