import EventRecorder
import Foundation

/// The two `Progress` objects of a task and the blocks that are called with them (UM-10).
///
/// Both start at unknown, -1 (UM-10.1). The numbers are the manager's own counts (LX-02).
///
/// ## Concurrency
/// Call from: the delegate queue; the two objects and `init` from any thread. Lock: none. Calls out
/// on: the delegate queue (the blocks).
final class TransferProgress: @unchecked Sendable {
    // @unchecked because the blocks are used on the delegate queue only, and set before the object
    // is shared; the rest is constant.
    let upload = Progress(parent: nil, userInfo: nil)
    let download = Progress(parent: nil, userInfo: nil)
    private var uploadBlock: URLSessionManager.ProgressBlock?
    private var downloadBlock: URLSessionManager.ProgressBlock?

    init(
        upload uploadBlock: URLSessionManager.ProgressBlock?,
        download downloadBlock: URLSessionManager.ProgressBlock?
    ) {
        self.uploadBlock = uploadBlock
        self.downloadBlock = downloadBlock
    }

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

    /// Releases the blocks after the end.
    func forgetBlocks() {
        uploadBlock = nil
        downloadBlock = nil
    }

    func sent(_ count: Int64, of total: Int64, by task: SessionTask) {
        Self.tell(uploadBlock, upload, count, total, task)
    }

    func received(_ count: Int64, of total: Int64, by task: SessionTask) {
        Self.tell(downloadBlock, download, count, total, task)
    }

    private static func tell(
        _ block: URLSessionManager.ProgressBlock?, _ progress: Progress, _ count: Int64,
        _ total: Int64, _ task: SessionTask
    ) {
        progress.totalUnitCount = total
        progress.completedUnitCount = count
        guard let block else { return }
        EventRecorder.span(.callback, subject: task.number, text: .progress) { block(progress) }
    }
}
