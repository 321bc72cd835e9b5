public import Foundation
import FoundationNetworking
public import HTTPSemantics
import Locking

/// Counts running requests, and reports when an activity indicator should be visible.
///
/// It is `AFNetworkActivityIndicatorManager` without an indicator: set a block that shows yours.
/// Operations with a URL are counted from their start to their pause or end. Tasks of session managers
/// and Alamofire's requests are counted from a `resume` to a suspension or the end. Count other work with
/// `incrementActivityCount()` and `decrementActivityCount()`. Each request is counted once, and an end
/// without a start is ignored. So the count always returns to 0; AFNetworking's did not.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: main, never under the lock.
public final class NetworkActivityManager: Sendable {
    /// A manager that a program can share. It counts from its first use on.
    public static let shared = NetworkActivityManager()

    private let clock: NetworkClock
    private let observation: WorkObservation
    private struct State {
        var isEnabled = false
        var count = 0
        /// The operations and tasks in the count.
        var counted: Set<ObjectIdentifier> = []
        var activationDelay: TimeInterval = 0
        var completionDelay: TimeInterval = 0.17
        var block: (@Sendable (Bool) -> Void)?
        /// The last value for the block, even if none was set.
        var isShown = false
        /// Whether `settle()` was dispatched to main and has not run: many changes need one call.
        var isSettling = false
        /// The number of the newest delayed step; an older one is not performed.
        var plan = 0
        /// The timer of the newest delayed step.
        var alarm: ClockAlarm?
        /// Whether the newest delayed step shows the indicator; `delayingStart` in AFNetworking.
        var isShowPlanned = false

        /// AFNetworking's states as the step that leads to each: active, delaying start, delaying end,
        /// not active.
        var step: Step {
            switch (isEnabled && count > 0, isShown) {
            case (true, true): .cancelDelayed
            case (true, false) where activationDelay == 0: .show
            case (true, false): isShowPlanned ? .none : .showLater(activationDelay)
            case (false, false): isShowPlanned ? .cancelDelayed : .none
            case (false, true): isEnabled ? .hideLater(completionDelay) : .hide
            }
        }
    }

    private enum Step {
        case none, show, hide
        case showLater(TimeInterval)
        case hideLater(TimeInterval)
        case cancelDelayed
    }

    private let state = Locked(State())

    // MARK: - Making

    /// Makes a manager with a count of its own, not enabled.
    ///
    /// - Parameter clock: measures the delays.
    public convenience init(clock: NetworkClock = .system) {
        self.init(center: .default, clock: clock)
    }

    init(center: NotificationCenter, clock: NetworkClock = .system) {
        self.clock = clock
        observation = WorkObservation(center)
        observation.observe([.networkingOperationDidStart]) { [weak self] in
            self?.started(operation: $0)
        }
        observation.observe(TaskNotification.starts) { [weak self] in self?.started($0) }
        observation.observe([.networkingOperationDidFinish] + TaskNotification.ends) {
            [weak self] in self?.finished($0)
        }
    }

    // MARK: - Visibility

    /// Whether the block is called; false at first.
    ///
    /// Requests are counted even if not. Enabling during activity shows the indicator; disabling hides it
    /// without delay.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { change { $0.isEnabled = newValue } }
    }

    /// Whether the count is above 0, enabled or not. It is false before the block is called with false, which
    /// is after `completionDelay`.
    public var isNetworkActivityIndicatorVisible: Bool { state.withLock { $0.count > 0 } }

    /// Seconds of activity before the indicator is shown; 0 at first, as in AFNetworking 2. It is 1 in
    /// AFNetworking 3 and 4.
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
    /// While enabled, it is called after `activationDelay` with activity, and after `completionDelay`
    /// without. It gets true and false alternately, and is not called for earlier changes.
    public func setVisibilityChangeBlock(_ block: (@Sendable (Bool) -> Void)?) {
        // The old block is released without the lock: a `deinit` of what it captured may call the
        // manager.
        var block = block
        state.withLock { swap(&$0.block, &block) }
    }

    // MARK: - Counting

    /// Adds one to the count.
    public func incrementActivityCount() {
        change { $0.count += 1 }
    }

    /// Takes one from the count, if it is above 0.
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
            defer { state.isSettling = true }
            return !state.isSettling
        }
        if isFirst { DispatchQueue.main.async { [weak self] in self?.settle() } }
    }

    // MARK: - On main

    /// Shows or hides the indicator, now or after a delay.
    private func settle() {
        let (step, plan, old) = state.withLock { state -> (Step, Int, ClockAlarm?) in
            state.isSettling = false
            let step = state.step
            if case .none = step { return (step, state.plan, nil) }
            state.plan += 1
            switch step {
            case .none, .hideLater: break
            case .show, .hide, .cancelDelayed: state.isShowPlanned = false
            case .showLater: state.isShowPlanned = true
            }
            defer { state.alarm = nil }
            return (step, state.plan, state.alarm)
        }
        old?.cancel()
        switch step {
        case .none, .cancelDelayed: break
        case .show: show(true)
        case .hide: show(false)
        case .showLater(let delay): later(delay, plan, isShown: true)
        case .hideLater(let delay): later(delay, plan, isShown: false)
        }
    }

    private func later(_ delay: TimeInterval, _ plan: Int, isShown: Bool) {
        let alarm = clock.wakeUp(after: delay, on: .main) { [weak self] in
            self?.perform(plan, isShown: isShown)
        }
        state.withLock { $0.alarm = alarm }
    }

    private func perform(_ plan: Int, isShown: Bool) {
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
