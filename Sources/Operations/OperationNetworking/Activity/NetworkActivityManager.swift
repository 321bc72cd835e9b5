public import Foundation
import FoundationNetworking
public import HTTPSemantics
import Locking

/// Counts running work, and tells when an activity indicator should be visible.
///
/// It is the counter of `AFNetworkActivityIndicatorManager`, without an indicator: set a block that
/// shows yours. Operations are counted from their start to their pause or end, if their request has
/// a URL, and so are the tasks of session managers and the requests of the request era, from a
/// `resume` to a suspension or the end (IM-37). Count other work with `incrementActivityCount()` and
/// `decrementActivityCount()`. Each piece of work counts once. A finish without a start, as of an
/// operation cancelled before it began, counts nothing. So the count is never negative and always
/// returns to 0, where the original's did not (wound 52).
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: main, never under the lock.
public final class NetworkActivityManager: Sendable {
    /// The manager that a program shares; it counts from its first use on.
    public static let shared = NetworkActivityManager()

    private let center: NotificationCenter
    private let clock: NetworkClock
    private let observers = Locked<[any NSObjectProtocol]>([])
    private struct State {
        var isEnabled = false
        var count = 0
        /// The operations and tasks that are counted now.
        var counted: Set<ObjectIdentifier> = []
        var activationDelay: TimeInterval = 0
        var completionDelay: TimeInterval = 0.17
        var block: (@Sendable (Bool) -> Void)?
        /// The value that the block was called with last, or would have been.
        var isShown = false
        /// Whether main is about to look at the count: many changes need one look.
        var isLookDue = false
        /// The number of plans to show or hide; only the newest is carried out.
        var plan = 0
        /// The alarm of the newest plan that waits for its time.
        var alarm: ClockAlarm?
        /// Whether the newest plan is to show (`delayingStart` in the original).
        var isShowPlanned = false

        /// What follows from the count: the original's states, active, delaying its start or end, and
        /// not active.
        var step: Step {
            switch (isEnabled && count > 0, isShown) {
            case (true, true): .keep
            case (true, false) where activationDelay == 0: .show
            case (true, false): isShowPlanned ? .none : .showLater(activationDelay)
            case (false, false): isShowPlanned ? .keep : .none
            case (false, true): isEnabled ? .hideLater(completionDelay) : .hide
            }
        }
    }

    private enum Step {
        case none, show, hide
        case showLater(TimeInterval)
        case hideLater(TimeInterval)
        /// What is planned is not carried out.
        case keep
    }

    private let state = Locked(State())

    // MARK: - Making

    /// Makes a manager with a count of its own, not enabled.
    ///
    /// - Parameter clock: what the delays go by.
    public convenience init(clock: NetworkClock = .system) {
        self.init(center: .default, clock: clock)
    }

    init(center: NotificationCenter, clock: NetworkClock = .system) {
        self.center = center
        self.clock = clock
        observe(.networkingOperationDidStart) { $0.started(operation: $1) }
        observe(.networkingOperationDidFinish) { $0.finished($1) }
        for name in TaskNotification.starts { observe(Notification.Name(name)) { $0.started($1) } }
        for name in TaskNotification.ends { observe(Notification.Name(name)) { $0.finished($1) } }
    }

    deinit {
        observers.withLock { $0.forEach(center.removeObserver) }
    }

    private func observe(
        _ name: Notification.Name,
        _ handle: @escaping @Sendable (NetworkActivityManager, AnyObject) -> Void
    ) {
        let observer = center.addObserver(forName: name, object: nil, queue: nil) {
            [weak self] notification in
            guard let self, let work = TaskNotification.work(of: notification) else { return }
            handle(self, work)
        }
        observers.withLock { $0.append(observer) }
    }

    // MARK: - Visibility

    /// Whether the block is called; false at first.
    ///
    /// Counting goes on regardless. Enabling during activity shows the indicator, disabling hides
    /// it without delay.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { change { $0.isEnabled = newValue } }
    }

    /// Whether anything is counted, enabled or not. The block is called for the end later, after the
    /// hide delay.
    public var isNetworkActivityIndicatorVisible: Bool { state.withLock { $0.count > 0 } }

    /// Seconds of activity before the indicator is shown; 0 at first, as in AFNetworking 2.
    /// AFNetworking 3 and 4 had 1.0, so that short work shows nothing.
    public var activationDelay: TimeInterval {
        get { state.withLock { $0.activationDelay } }
        set { state.withLock { $0.activationDelay = max(0, newValue) } }
    }

    /// Seconds without activity before the indicator is hidden, so that it does not flicker; 0.17 at
    /// first.
    public var completionDelay: TimeInterval {
        get { state.withLock { $0.completionDelay } }
        set { state.withLock { $0.completionDelay = max(0, newValue) } }
    }

    /// Sets the block that shows (true) or hides (false) the indicator, on main; nil for none.
    ///
    /// While enabled, it is called when activity begins, or has lasted for `activationDelay`, and
    /// after `completionDelay` without any. It gets true
    /// and false in turn; it is not called for anything before it was set.
    public func setVisibilityChangeBlock(_ block: (@Sendable (Bool) -> Void)?) {
        // The old block is released after the lock is left, because what it holds may call the
        // manager in its `deinit`.
        let old = state.withLock { state in
            defer { state.block = block }
            return state.block
        }
        withExtendedLifetime(old) {}
    }

    // MARK: - Counting

    /// Counts one more piece of work.
    public func incrementActivityCount() {
        change { $0.count += 1 }
    }

    /// Counts one piece of work less; never below 0.
    public func decrementActivityCount() {
        change { $0.count = max(0, $0.count - 1) }
    }

    private func started(operation: AnyObject) {
        guard (operation as? URLConnectionOperation)?.request.url != nil else { return }
        started(operation)
    }

    private func started(_ work: AnyObject) {
        change { state in
            if state.counted.insert(ObjectIdentifier(work)).inserted { state.count += 1 }
        }
    }

    private func finished(_ work: AnyObject) {
        change { state in
            guard state.counted.remove(ObjectIdentifier(work)) != nil else { return }
            state.count = max(0, state.count - 1)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            body(&state)
            defer { state.isLookDue = true }
            return !state.isLookDue
        }
        if isFirst { DispatchQueue.main.async { [weak self] in self?.settle() } }
    }

    // MARK: - Main only

    /// Shows or hides the indicator, now or later.
    private func settle() {
        let (step, plan, old) = state.withLock { state -> (Step, Int, ClockAlarm?) in
            state.isLookDue = false
            let step = state.step
            if case .none = step { return (step, state.plan, nil) }
            state.plan += 1
            switch step {
            case .none, .hideLater: break
            case .show, .hide, .keep: state.isShowPlanned = false
            case .showLater: state.isShowPlanned = true
            }
            defer { state.alarm = nil }
            return (step, state.plan, state.alarm)
        }
        old?.cancel()
        switch step {
        case .none, .keep: break
        case .show: show(true)
        case .hide: show(false)
        case .showLater(let delay): later(delay, plan, isShown: true)
        case .hideLater(let delay): later(delay, plan, isShown: false)
        }
    }

    private func later(_ delay: TimeInterval, _ plan: Int, isShown: Bool) {
        let alarm = clock.wakeUp(after: delay, on: .main) { [weak self] in
            self?.carryOut(plan, isShown: isShown)
        }
        state.withLock { $0.alarm = alarm }
    }

    private func carryOut(_ plan: Int, isShown: Bool) {
        let isDue = state.withLock { state in
            guard state.plan == plan, state.isEnabled, (state.count > 0) == isShown else {
                return false
            }
            state.isShowPlanned = false
            return true
        }
        if isDue { show(isShown) }
    }

    private func show(_ isShown: Bool) {
        let block = state.withLock { state in
            defer { state.isShown = isShown }
            return state.isShown == isShown ? nil : state.block
        }
        block?(isShown)
    }
}
