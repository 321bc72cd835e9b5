public import OperationNetworking

/// Shows that something runs, such as a spinning indicator.
@MainActor
public protocol ActivityDisplaying: AnyObject {
    /// What it is tied to; a constant.
    var activityBinding: WorkBinding { get }
    /// Shows that something runs.
    func startAnimating()
    /// Shows that nothing runs.
    func stopAnimating()
}

extension ActivityDisplaying {
    /// Animates while an operation or a task runs: from its start or `resume` until it is held or has
    /// ended (IM-38).
    ///
    /// - Parameter work: nil unties it, and leaves it as it is; so does work that has ended.
    public func setAnimating(withStateOf work: (any ObservedWork)?) {
        activityBinding.follow(work) { [weak self] isRunning in
            isRunning ? self?.startAnimating() : self?.stopAnimating()
        }
    }
}

/// Shows that its content is being renewed, such as a control that is pulled down.
@MainActor
public protocol RefreshDisplaying: AnyObject {
    /// What it is tied to; a constant.
    var refreshBinding: WorkBinding { get }
    /// Shows that the content is being renewed.
    func beginRefreshing()
    /// Shows that it is not.
    func endRefreshing()
}

extension RefreshDisplaying {
    /// Refreshes while an operation or a task runs (IM-38); otherwise like an indicator.
    public func setRefreshing(withStateOf work: (any ObservedWork)?) {
        refreshBinding.follow(work) { [weak self] isRunning in
            isRunning ? self?.beginRefreshing() : self?.endRefreshing()
        }
    }
}
