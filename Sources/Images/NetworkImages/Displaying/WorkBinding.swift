import Foundation
public import OperationNetworking

/// Binds a view to the operation or session task that it shows.
///
/// The view stores it as a constant. It retains neither the work nor the view.
///
/// ## Concurrency
/// Call from: the main actor; `init` from anywhere. Lock: none. Calls out on: the main actor.
@MainActor
public final class WorkBinding {
    /// One direction of work to which a progress block was added. Only that block and the current binding retain it, so it
    /// shows whether the work still has the block.
    final class Attachment: Sendable {
        let direction: ByteDirection

        init(_ direction: ByteDirection) {
            self.direction = direction
        }
    }

    struct WeakAttachment {
        weak var attachment: Attachment?
        /// A copy of the work may still have the block when the work's address is used again.
        weak var work: (any ObservedWork)?
    }

    private var observation: WorkObservation?
    /// The number of the current binding; what an observation of an earlier one reports is dropped.
    private var turn = 0
    /// Progress blocks cannot be removed from work, so a later binding uses them again.
    private(set) var attachments: [WeakAttachment] = []
    private var progress: (attachment: Attachment, show: @MainActor (Float) -> Void)?

    /// Makes an object without a binding.
    public nonisolated init() {}

    /// Calls a block at once, and after each change, with whether the work runs; nil, or work that has ended,
    /// ends that.
    func follow(_ work: (any ObservedWork)?, _ show: @escaping @MainActor (Bool) -> Void) {
        end()
        guard let work, !work.hasEnded else { return }
        let turn = turn
        observation = WorkObservation(of: work) { [weak self, weak work] in
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    guard let self, self.turn == turn else { return }
                    show(work?.isUnderWay ?? false)
                }
            }
        }
        show(work.isUnderWay)
    }

    /// Calls a block with the transferred fraction of bytes, from 0 to 1; nil ends that.
    ///
    /// It is not called where the total is unknown. Work that has ended counts as nil.
    func follow(
        _ direction: ByteDirection, of work: (any ObservedWork)?,
        _ show: @escaping @MainActor (Float) -> Void
    ) {
        end()
        guard let work, !work.hasEnded else { return }
        progress = (attachment(to: work, direction), show)
    }

    private func attachment(
        to work: any ObservedWork, _ direction: ByteDirection
    ) -> Attachment {
        attachments.removeAll { $0.attachment == nil || $0.work == nil }
        let known = attachments.first {
            $0.work === work && $0.attachment?.direction == direction
        }
        if let known = known?.attachment { return known }
        let new = Attachment(direction)
        attachments.append(WeakAttachment(attachment: new, work: work))
        work.addProgressBlock(for: direction) { [weak self] completed, expected in
            guard expected > 0 else { return }
            let fraction = min(1, max(0, Float(Double(completed) / Double(expected))))
            DispatchQueue.main.async { [weak new] in
                MainActor.assumeIsolated {
                    guard let progress = self?.progress, progress.attachment === new else { return }
                    progress.show(fraction)
                }
            }
        }
        return new
    }

    private func end() {
        turn += 1
        observation = nil
        progress = nil
    }
}

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
