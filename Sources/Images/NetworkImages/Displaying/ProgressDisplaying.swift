public import OperationNetworking

/// Shows how much of something is done, such as a bar.
@MainActor
public protocol ProgressDisplaying: AnyObject {
    /// What it is tied to; a constant.
    var progressBinding: WorkBinding { get }
    /// Shows a fraction from 0 to 1.
    func setProgress(_ fraction: Float, animated: Bool)
}

extension ProgressDisplaying {
    /// Shows how much of a body was moved, as long as its length is known (IM-39).
    ///
    /// An operation's progress block goes on being called. One that is set afterwards takes the place
    /// of both.
    ///
    /// - Parameter work: an operation or a task; nil unties it, and so does work that has ended.
    public func setProgress(
        with direction: ByteDirection, of work: (any ObservedWork)?, animated: Bool
    ) {
        progressBinding.follow(direction, of: work) { [weak self] fraction in
            self?.setProgress(fraction, animated: animated)
        }
    }
}
