public import OperationNetworking

/// A view that shows activity, such as a spinning indicator.
@MainActor
public protocol ActivityDisplaying: AnyObject {
    /// The binding to the work that is shown; a constant.
    var activityBinding: WorkBinding { get }
    /// Shows activity.
    func startAnimating()
    /// Shows that there is no activity.
    func stopAnimating()
}

extension ActivityDisplaying {
    /// Animates while an operation or a task runs: from its start or `resume` until it is suspended
    /// or has ended.
    ///
    /// - Parameter work: nil removes the binding and leaves the view as it is; so does work that
    ///   has ended.
    public func setAnimating(withStateOf work: (any ObservedWork)?) {
        activityBinding.follow(work) { [weak self] isRunning in
            isRunning ? self?.startAnimating() : self?.stopAnimating()
        }
    }
}

/// A view that shows a refresh, such as a control that is pulled down.
@MainActor
public protocol RefreshDisplaying: AnyObject {
    /// The binding to the work that is shown; a constant.
    var refreshBinding: WorkBinding { get }
    /// Shows that the content is being refreshed.
    func beginRefreshing()
    /// Shows that it is not.
    func endRefreshing()
}

extension RefreshDisplaying {
    /// Shows a refresh while an operation or a task runs; otherwise like
    /// `setAnimating(withStateOf:)`.
    public func setRefreshing(withStateOf work: (any ObservedWork)?) {
        refreshBinding.follow(work) { [weak self] isRunning in
            isRunning ? self?.beginRefreshing() : self?.endRefreshing()
        }
    }
}
