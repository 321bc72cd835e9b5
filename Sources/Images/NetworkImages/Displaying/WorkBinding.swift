import Foundation
import OperationNetworking

/// Binds a view to the operation or session task that it shows.
///
/// The view stores it as a constant. It retains neither the work nor the view.
///
/// ## Concurrency
/// Call from: the main actor; `init` from anywhere. Lock: none. Calls out on: the main actor.
@MainActor
public final class WorkBinding {
    private var observation: WorkObservation?
    /// The number of the current binding; blocks of earlier ones are dropped.
    private var turn = 0

    /// Makes an object without a binding.
    public nonisolated init() {}

    /// Calls a block at once, and after each change, with whether the work runs; nil ends that.
    ///
    /// Work that has ended is ignored.
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
    /// It is not called where the total is unknown, nor for work that has ended.
    func follow(
        _ direction: ByteDirection, of work: (any ObservedWork)?,
        _ show: @escaping @MainActor (Float) -> Void
    ) {
        end()
        guard let work, !work.hasEnded else { return }
        let turn = turn
        work.addProgressBlock(for: direction) { [weak self] completed, expected in
            guard expected > 0 else { return }
            let fraction = min(1, max(0, Float(Double(completed) / Double(expected))))
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    if let self, self.turn == turn { show(fraction) }
                }
            }
        }
    }

    private func end() {
        turn += 1
        observation = nil
    }
}
