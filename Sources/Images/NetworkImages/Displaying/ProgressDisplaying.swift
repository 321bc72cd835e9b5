public import OperationNetworking

/// A view that shows progress, such as a bar.
@MainActor
public protocol ProgressDisplaying: AnyObject {
    /// The binding to the work that is shown; a constant.
    var progressBinding: WorkBinding { get }
    /// Shows a fraction from 0 to 1.
    func setProgress(_ fraction: Float, animated: Bool)
}

extension ProgressDisplaying {
    /// Shows the transferred fraction of a body, while its length is known.
    ///
    /// An operation's progress block is still called. A progress block that is set later replaces
    /// both.
    ///
    /// - Parameter work: an operation or a task; nil removes the binding, and so does work that has
    ///   ended.
    public func setProgress(
        with direction: ByteDirection, of work: (any ObservedWork)?, animated: Bool
    ) {
        progressBinding.follow(direction, of: work) { [weak self] fraction in
            self?.setProgress(fraction, animated: animated)
        }
    }
}
