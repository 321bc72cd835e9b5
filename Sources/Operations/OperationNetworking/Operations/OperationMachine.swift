/// One operation: what can happen to it, and what is to be done then (OP-1 to OP-7, OP-10 to OP-16).
///
/// The original's table, with the repairs of wounds 12, 13, 14, 27 and 52: cancelling a paused operation
/// ends it, a result that came before a pause took effect counts, `start` has one owner, and every
/// notification of a start gets one of a finish (NO-1).
///
/// It calls nobody and holds no object. The operation sends it events under its lock, and carries out what
/// it returns at once.
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
        /// - Parameter wasStarted: `start` was called before: the operation, not its queue, owns the next one.
        case ready(wasStarted: Bool)
        case executing(Run)
        case paused(wasStarted: Bool)
        case finished

        var key: Key {
            switch self {
            case .ready: .ready
            case .executing: .executing
            case .paused: .paused
            case .finished: .finished
            }
        }
    }

    enum Outcome: Hashable, Sendable { case success, failure, cancelled }

    /// What is handed to the network thread.
    enum Job: Hashable, Sendable {
        /// Make the connection and start it.
        case begin(Run)
        /// Cancel the connection, keep what it brought.
        case interrupt(Run)
        /// Cancel the connection and end with what stopped the operation.
        case abort
    }

    enum Notification: Hashable, Sendable { case didStart, didFinish }

    /// A move from one state to another.
    struct Move: Hashable, Sendable {
        var old: Key
        var new: Key
    }

    /// What is to be done, in this order, but for an end, whose notification comes behind its
    /// announcement. No array, so that nothing is allocated.
    struct Actions: Hashable, Sendable {
        var notification: Notification?
        /// The run is wanted: it gets its connection.
        var connects = false
        /// Both keys are announced, the old one first.
        var move: Move?
        /// Enqueued before the new key is announced.
        var job: Job?
        /// `goOn` follows the announcement.
        var goesOn = false
        var makesObject = false
        /// Finish hooks are called before the announcement, the completion after it.
        var end: Outcome?

        static let none = Actions()
    }

    private(set) var state: State
    /// The latest run's number.
    private var runs: Run = 0
    /// Completions that are under way to the caller; the blocks stay until the last has run.
    private var completionsUnderWay: Int32 = 0
    private(set) var isCancelled: Bool
    /// It failed while it was paused and nobody had started it: its start ends it.
    private(set) var hasFailed: Bool
    /// The response's object is being made before the end.
    private(set) var isMakingObject: Bool
    /// The blocks were released, after the last completion.
    private(set) var isReleased = false
    /// The caller waits for success or failure.
    var owesResult = false
    /// Observers had a start, and no finish since.
    private var isStartOpen = false
    private var wasEverAnnounced = false

    /// - Parameter state: ready, or of an archive. Any other, and the marks, are for tests.
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

    /// Whether somebody has called `start`, so that no queue may take it.
    var wasStarted: Bool {
        switch state {
        case .ready(let wasStarted), .paused(let wasStarted): wasStarted
        case .executing, .finished: true
        }
    }

    /// Whether it has ever executed.
    var hasRun: Bool { runs != 0 }

    /// Whether it must stay alive without its caller's help: paused, with success or failure outstanding
    /// (wound 12). While it runs, its connection holds it. One that was never started is not held (wound 15).
    var keepsItself: Bool { state == .paused(wasStarted: true) && owesResult }

    /// Whether its start ends it.
    private var isOver: Bool { isCancelled || hasFailed }

    // MARK: - Events of callers and queues. What means nothing in a state does nothing (OP-3).

    /// Its queue, or a caller without a queue, starts it.
    mutating func start(areDependenciesDone: Bool) -> Actions {
        switch state {
        case .ready where isOver:
            state = .ready(wasStarted: true)
            return Actions(job: .abort)
        case .ready where areDependenciesDone:
            return execute()
        case .paused where areDependenciesDone:
            // A queue that raced with the pause, and will not start it again.
            state = .paused(wasStarted: true)
            return .none
        case .ready, .executing, .paused, .finished:
            return .none
        }
    }

    mutating func cancel() -> Actions {
        if isCancelled || state == .finished { return .none }
        isCancelled = true
        switch state {
        case .paused(wasStarted: false):
            // Ready again, so that its queue starts it, which ends it.
            return move(to: .ready(wasStarted: false))
        case .ready(wasStarted: true), .executing, .paused(wasStarted: true):
            return Actions(job: .abort)
        case .ready(wasStarted: false), .finished:
            return .none
        }
    }

    mutating func pause() -> Actions {
        if isOver { return .none }
        switch state {
        case .ready(let wasStarted):
            return move(to: .paused(wasStarted: wasStarted))
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

    /// One that was started begins again after the announcement, which may have changed the state.
    mutating func resume() -> Actions {
        guard !isCancelled, case .paused(let wasStarted) = state else { return .none }
        var actions = move(to: .ready(wasStarted: wasStarted))
        actions.goesOn = wasStarted
        return actions
    }

    /// A resume has been announced. A cancel in between ends the run that begins here.
    mutating func goOn() -> Actions {
        state == .ready(wasStarted: true) ? execute() : .none
    }

    /// It fails while it is paused and nobody has started it. Its queue must not see it finish before it has
    /// started it, so it becomes ready, and its start ends it.
    ///
    /// - Returns: nil where it is not so.
    mutating func failBeforeStart() -> Actions? {
        guard state == .paused(wasStarted: false) else { return nil }
        hasFailed = true
        return move(to: .ready(wasStarted: false))
    }

    // MARK: - Events of the network thread

    /// The job `begin` has its turn. What the object is made of is there, so it begins nothing.
    mutating func began(_ run: Run) -> Actions {
        guard state == .executing(run), !isMakingObject else { return .none }
        isStartOpen = true
        wasEverAnnounced = true
        return Actions(notification: .didStart, connects: !isCancelled)
    }

    /// A result: of the connection, of `fail(with:)`, or of the job `abort`. A cancel that came before wins
    /// (wound 28), and one that comes while the object is made does not wait for it.
    ///
    /// - Parameter isObjectFirst: whether the object of a success is made before the end.
    mutating func ended(_ outcome: Outcome, isObjectFirst: Bool = false) -> Actions {
        switch state {
        case .ready(wasStarted: true) where isOver, .executing, .paused(wasStarted: true):
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
    /// - Returns: whether it was the last one under way, so that the blocks go.
    mutating func completionEnds() -> Bool {
        completionsUnderWay -= 1
        return completionsUnderWay == 0
    }

    /// The blocks go.
    mutating func release() { isReleased = true }

    // MARK: - Moves

    private mutating func move(to new: State) -> Actions {
        defer { state = new }
        return Actions(move: Move(old: state.key, new: new.key))
    }

    private mutating func execute() -> Actions {
        runs &+= 1
        var actions = move(to: .executing(runs))
        actions.job = .begin(runs)
        return actions
    }

    /// One that never began posts its finish alone (OP-16).
    private mutating func end(_ outcome: Outcome) -> Actions {
        var actions = move(to: .finished)
        isMakingObject = false
        if isStartOpen || !wasEverAnnounced { actions.notification = .didFinish }
        isStartOpen = false
        actions.end = isCancelled ? .cancelled : outcome
        return actions
    }
}

/// A key and how often it has changed, as one number: who sees the same one twice knows that nothing
/// happened in between.
struct CountedKey: Hashable, Sendable {
    let number: UInt32

    private static let keyBits: UInt32 = 7
    private static let one: UInt32 = 8

    init(number: UInt32) {
        self.number = number
    }

    /// The first one.
    init(_ key: OperationMachine.Key) {
        number = Self.bits(of: key)
    }

    var key: OperationMachine.Key {
        OperationMachine.Key(rawValue: Int(number & Self.keyBits) - 1) ?? .ready
    }

    /// The one behind it; the count begins anew after 2^29.
    func next(_ key: OperationMachine.Key) -> CountedKey {
        CountedKey(number: (number & ~Self.keyBits &+ Self.one) | Self.bits(of: key))
    }

    /// The cases' numbers are from -1 to 3.
    private static func bits(of key: OperationMachine.Key) -> UInt32 { UInt32(key.rawValue + 1) }
}
