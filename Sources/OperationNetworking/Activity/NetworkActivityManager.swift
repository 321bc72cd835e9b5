import Foundation
import FoundationNetworking
import Locking

/// Counts running work, and tells when an activity indicator should be visible.
///
/// It is the counter of `AFNetworkActivityIndicatorManager`, without an indicator: set a block that
/// shows yours. Operations are counted from their start to their pause or end, if their request has
/// a URL; count other work with `incrementActivityCount()` and `decrementActivityCount()`. Each
/// operation counts once. A finish without a start, as of an operation cancelled before it began,
/// counts nothing. So the count is never negative and always returns to 0, where the original's did
/// not (wound 52).
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: main, never under the lock.
public final class NetworkActivityManager: Sendable {
    /// The manager that a program shares; it counts from its first use on.
    public static let shared = NetworkActivityManager()

    /// Seconds without activity before the indicator is hidden, so that it does not flicker.
    static let hideDelay: TimeInterval = 0.17

    private let center: NotificationCenter
    private let after: @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void
    private let observers = Locked<[any NSObjectProtocol]>([])
    private struct State {
        var isEnabled = false
        var count = 0
        /// The operations that are counted now.
        var operations: Set<ObjectIdentifier> = []
        var block: (@Sendable (Bool) -> Void)?
        /// The value that the block was called with last, or would have been.
        var isShown = false
        /// The number of planned hides; only the newest is carried out.
        var plan = 0
    }

    private let state = Locked(State())

    // MARK: - Making

    /// Makes a manager with a count of its own, not enabled.
    public convenience init() {
        self.init(center: .default) { seconds, work in
            DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: work)
        }
    }

    /// - Parameter after: runs a block on main after a number of seconds.
    init(
        center: NotificationCenter,
        after: @escaping @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void
    ) {
        self.center = center
        self.after = after
        observe(.networkingOperationDidStart) { $0.started($1) }
        observe(.networkingOperationDidFinish) { $0.finished($1) }
    }

    deinit {
        observers.withLock { $0.forEach(center.removeObserver) }
    }

    private func observe(
        _ name: Notification.Name,
        _ handle: @escaping @Sendable (NetworkActivityManager, URLConnectionOperation) -> Void
    ) {
        let observer = center.addObserver(forName: name, object: nil, queue: nil) {
            [weak self] notification in
            guard let self, let operation = notification.object as? URLConnectionOperation else {
                return
            }
            handle(self, operation)
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

    /// Whether anything is counted, enabled or not. The block is told of the end later, after the
    /// hide delay.
    public var isNetworkActivityIndicatorVisible: Bool { state.withLock { $0.count > 0 } }

    /// Sets the block that shows (true) or hides (false) the indicator, on main; nil for none.
    ///
    /// While enabled, it is called when activity begins, and after 0.17 s without any. It gets true
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

    private func started(_ operation: URLConnectionOperation) {
        guard operation.request.url != nil else { return }
        change { state in
            if state.operations.insert(ObjectIdentifier(operation)).inserted { state.count += 1 }
        }
    }

    private func finished(_ operation: URLConnectionOperation) {
        change { state in
            guard state.operations.remove(ObjectIdentifier(operation)) != nil else { return }
            state.count = max(0, state.count - 1)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock(body)
        DispatchQueue.main.async { [weak self] in self?.settle() }
    }

    // MARK: - Main only

    /// Shows the indicator at once, or hides it later.
    private func settle() {
        let change = state.withLock { state -> (isWanted: Bool, plan: Int, isEnabled: Bool)? in
            let isWanted = state.isEnabled && state.count > 0
            guard isWanted || state.isShown else { return nil }
            state.plan += 1
            return (isWanted, state.plan, state.isEnabled)
        }
        guard let (isWanted, plan, isEnabled) = change else { return }
        if isWanted {
            show(true)
        } else if isEnabled {
            after(Self.hideDelay) { [weak self] in self?.hide(plan) }
        } else {
            show(false)
        }
    }

    private func hide(_ plan: Int) {
        let isDue = state.withLock { $0.plan == plan && $0.count == 0 }
        if isDue { show(false) }
    }

    private func show(_ isShown: Bool) {
        let block = state.withLock { state in
            defer { state.isShown = isShown }
            return state.isShown == isShown ? nil : state.block
        }
        block?(isShown)
    }
}
