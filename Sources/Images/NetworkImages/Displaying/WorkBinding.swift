import Foundation
import OperationNetworking

/// What ties a view to work that it shows: to an operation, or to a task of a session.
///
/// The view keeps it as a constant. Neither the work nor the view is kept alive by it.
///
/// ## Concurrency
/// Call from: the main actor; `init` from anywhere. Lock: none. Calls out on: the main actor.
@MainActor
public final class WorkBinding {
    private var observation: WorkObservation?
    /// Which binding counts; the blocks of others are dropped.
    private var turn = 0

    /// A view that shows nothing.
    public nonisolated init() {}

    /// Calls a block at once, and after each change, with whether the work runs; nil ends that.
    ///
    /// Work that has ended is ignored (IM-38).
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

    /// Calls a block with the fraction of bytes that were moved, from 0 to 1; nil ends that.
    ///
    /// It is not called where the whole is unknown, nor for work that has ended (IM-39).
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
