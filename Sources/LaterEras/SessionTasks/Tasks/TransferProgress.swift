import Foundation
import Locking
import OperationNetworking

/// The two `Progress` objects of a task (UM-10).
///
/// Both start at unknown, -1 (UM-10.1). The numbers are the session's own counts (LX-02).
///
/// ## Concurrency
/// Call from: the delegate queue; the two objects, `init` and the streams from any thread. Locks: one around
/// the blocks, one around the streams; `Progress` has its own. Calls out on: the delegate queue (blocks),
/// without them.
struct TransferProgress: Sendable {
    let upload = Progress(parent: nil, userInfo: nil)
    let download = Progress(parent: nil, userInfo: nil)
    /// Blocks that are told besides, since Linux has no key-value observing (LX-28).
    private let blocks = Locked<[ByteDirection: [ObservedWork.ProgressBlock]]>([:])
    /// What ends with the task: the streams that its progress goes to as well.
    private let streams = Locked(Streams())

    private struct Streams {
        var of: [ByteDirection: ProgressStreams] = [:]
        var areOver = false
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

    func sent(_ count: Int64, of total: Int64) {
        Self.set(upload, count, total)
        tell(.upload, count, total)
    }

    func received(_ count: Int64, of total: Int64) {
        Self.set(download, count, total)
        tell(.download, count, total)
    }

    func add(_ block: @escaping ObservedWork.ProgressBlock, for direction: ByteDirection) {
        blocks.withLock { $0[direction, default: []].append(block) }
    }

    /// A stream of bytes until `endStreams()`.
    func stream(
        _ direction: ByteDirection,
        _ policy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy
    ) -> AsyncStream<OperationProgress> {
        let ofDirection = streams.withLock { streams in
            let known = streams.of[direction] ?? ProgressStreams()
            if !streams.areOver { streams.of[direction] = known }
            return known
        }
        // After the end nobody else holds them, and they end here.
        return ofDirection.stream(policy)
    }

    /// Ends the streams; what is told later goes to none of them.
    func endStreams() {
        let ended = streams.withLock { streams in
            defer { streams = Streams(areOver: true) }
            return streams.of
        }
        for streams in ended.values { streams.end() }
    }

    private func tell(_ direction: ByteDirection, _ count: Int64, _ total: Int64) {
        streams.withLock { $0.of[direction] }?.tell(OperationProgress(count, of: total))
        for block in blocks.withLock({ $0[direction] ?? [] }) { block(count, total) }
    }

    private static func set(_ progress: Progress, _ count: Int64, _ total: Int64) {
        progress.totalUnitCount = total
        progress.completedUnitCount = count
    }
}
