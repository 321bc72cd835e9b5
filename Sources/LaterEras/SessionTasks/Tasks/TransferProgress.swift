import Foundation
import Locking
import OperationNetworking

/// The progress of a task's two bodies (UM-10): `Progress` objects, which are made when somebody asks, blocks and streams.
///
/// The objects start at unknown, -1 (UM-10.1). The numbers are the session's own counts (LX-02).
///
/// ## Concurrency
/// Call from: the delegate queue; the two objects and the streams from any thread. Locks: one around
/// objects and blocks, one around the streams; `Progress` has its own. Calls out on: the delegate queue (blocks),
/// without them.
struct TransferProgress: Sendable {
    private struct State {
        var (upload, download) = (OneWay(), OneWay())

        subscript(direction: ByteDirection) -> OneWay {
            get { direction == .upload ? upload : download }
            _modify {
                if direction == .upload { yield &upload } else { yield &download }
            }
        }
    }

    private struct OneWay {
        var object: Progress?
        /// What an object that is made later begins with; nil before the first bytes.
        var counts: (completed: Int64, total: Int64)?
        /// Blocks that are called besides, since Linux has no key-value observing (LX-28).
        var blocks: [ObservedWork.ProgressBlock] = []
    }

    private let state = Locked(State())
    /// What ends with the task: the streams that its progress goes to as well.
    private let streams = Locked(Streams())

    private struct Streams {
        var of: [ByteDirection: ProgressStreams] = [:]
        var areOver = false
    }

    /// The object of one direction; cancelling, pausing and resuming it act on the task (UM-10.4).
    func object(_ direction: ByteDirection, of task: SessionTask) -> Progress {
        if let known = state.withLock({ $0[direction].object }) { return known }
        let new = Progress(parent: nil, userInfo: nil)
        new.totalUnitCount = -1
        new.isCancellable = true
        new.isPausable = true
        new.cancellationHandler = { [weak task] in task?.cancel() }
        new.pausingHandler = { [weak task] in task?.suspend() }
        new.resumingHandler = { [weak task] in task?.resume() }
        return state.withLock { state in
            if let known = state[direction].object { return known }
            if let counts = state[direction].counts {
                new.totalUnitCount = counts.total
                new.completedUnitCount = counts.completed
            }
            state[direction].object = new
            return new
        }
    }

    /// So many bytes of one direction have been moved; the total is -1 where it is unknown.
    func set(_ direction: ByteDirection, _ count: Int64, of total: Int64) {
        let (object, blocks) = state.withLock { state in
            state[direction].counts = (count, total)
            return (state[direction].object, state[direction].blocks)
        }
        object?.totalUnitCount = total
        object?.completedUnitCount = count
        streams.withLock { $0.of[direction] }?.tell(OperationProgress(count, of: total))
        for block in blocks { block(count, total) }
    }

    func add(_ block: @escaping ObservedWork.ProgressBlock, for direction: ByteDirection) {
        state.withLock { $0[direction].blocks.append(block) }
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
}
