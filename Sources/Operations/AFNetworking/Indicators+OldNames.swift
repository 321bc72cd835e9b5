public import FoundationNetworking
public import NetworkImages
public import OperationNetworking
import SessionEra

// The indicators of `UIKit+AFNetworking`, for tasks of Foundation's types and for operations. A task that no manager
// made stops the display, as nil does.

extension ActivityDisplaying {
    /// Animates while a task runs.
    @available(*, deprecated, renamed: "setAnimating(withStateOf:)")
    public func setAnimatingWithStateOf(_ task: URLSessionTask?) {
        setAnimating(withStateOf: task?.ownTask)
    }

    /// Animates while an operation runs.
    @available(*, deprecated, renamed: "setAnimating(withStateOf:)")
    public func setAnimatingWithStateOf(_ operation: URLConnectionOperation?) {
        setAnimating(withStateOf: operation)
    }
}

extension RefreshDisplaying {
    /// Refreshes while a task runs.
    @available(*, deprecated, renamed: "setRefreshing(withStateOf:)")
    public func setRefreshingWithStateOf(_ task: URLSessionTask?) {
        setRefreshing(withStateOf: task?.ownTask)
    }

    /// Refreshes while an operation runs.
    @available(*, deprecated, renamed: "setRefreshing(withStateOf:)")
    public func setRefreshingWithStateOf(_ operation: URLConnectionOperation?) {
        setRefreshing(withStateOf: operation)
    }
}

extension ProgressDisplaying {
    /// Shows how much of a task's body was sent.
    @available(*, deprecated, renamed: "setProgress(with:of:animated:)")
    public func setProgressWithUploadProgressOf(
        _ task: URLSessionUploadTask?, animated: Bool
    ) {
        setProgress(with: .upload, of: task?.ownTask, animated: animated)
    }

    /// Shows how much of a task's file was received.
    @available(*, deprecated, renamed: "setProgress(with:of:animated:)")
    public func setProgressWithDownloadProgressOf(
        _ task: URLSessionDownloadTask?, animated: Bool
    ) {
        setProgress(with: .download, of: task?.ownTask, animated: animated)
    }

    /// Shows how much of an operation's body was sent.
    @available(*, deprecated, renamed: "setProgress(with:of:animated:)")
    public func setProgressWithUploadProgressOf(
        _ operation: URLConnectionOperation?, animated: Bool
    ) {
        setProgress(with: .upload, of: operation, animated: animated)
    }

    /// Shows how much of an operation's body was received.
    @available(*, deprecated, renamed: "setProgress(with:of:animated:)")
    public func setProgressWithDownloadProgressOf(
        _ operation: URLConnectionOperation?, animated: Bool
    ) {
        setProgress(with: .download, of: operation, animated: animated)
    }
}

extension NetworkActivityManager {
    /// The manager of the whole process.
    @_disfavoredOverload
    @available(*, deprecated, message: "is a property: leave out the parentheses")
    public static func shared() -> NetworkActivityManager {
        shared
    }

    /// Sets the block that shows or hides the indicator, on main.
    @available(*, deprecated, renamed: "setVisibilityChangeBlock(_:)")
    @preconcurrency
    public func setNetworkingActivityActionWith(_ block: (@Sendable (Bool) -> Void)?) {
        setVisibilityChangeBlock(block)
    }
}
