import Foundation

/// The two `Progress` objects of a task (UM-10).
///
/// Both start at unknown, -1 (UM-10.1). The numbers are the session's own counts (LX-02).
///
/// ## Concurrency
/// Call from: the delegate queue; the two objects and `init` from any thread. Lock: none here;
/// `Progress` has its own. Calls out on: nobody.
struct TransferProgress: @unchecked Sendable {
    // @unchecked because both objects lock themselves, and are constant.
    let upload = Progress(parent: nil, userInfo: nil)
    let download = Progress(parent: nil, userInfo: nil)

    /// Connects both objects with their task (UM-10.4).
    func bind(to task: SessionTask) {
        for progress in [upload, download] {
            progress.totalUnitCount = -1
            progress.isCancellable = true
            progress.isPausable = true
            progress.cancellationHandler = { [weak task] in task?.cancel() }
            progress.pausingHandler = { [weak task] in task?.suspend() }
            progress.resumingHandler = { [weak task] in task?.resume() }
        }
    }

    func sent(_ count: Int64, of total: Int64) {
        Self.set(upload, count, total)
    }

    func received(_ count: Int64, of total: Int64) {
        Self.set(download, count, total)
    }

    private static func set(_ progress: Progress, _ count: Int64, _ total: Int64) {
        progress.totalUnitCount = total
        progress.completedUnitCount = count
    }
}
