import CurlConnection
import Foundation
import FoundationNetworking
import Locking

/// Writes received pieces to a caller's output stream, which writes to a file and may block.
///
/// Because it may block, the stream is opened, written and closed in jobs of a `StreamQueue`. These run on one of the
/// threads for files; a pipe or a device has a thread of its own. Pieces are written in order.
///
/// ## Concurrency
/// Call from: one thread. Lock: one around the state. Calls out on: the queue's thread (the stream and `moved`), not
/// under the lock.
final class WaitingOutput: @unchecked Sendable {
    // @unchecked because `stream` is not Sendable; only jobs of `queue` open, write and close it. `isOpened` is
    // used on the caller's thread alone.
    private struct State {
        var pieces: [Data] = []
        /// Bytes that were accepted and are not written yet.
        var waiting = 0
        /// Bytes that were written since the caller last asked (`takeWritten`).
        var written = 0
        var failure: (any Error)?
        var mustOpen = false
        var mustClose = false
        var isClosed = false
        /// The caller ends early, without `keepsAll`: a pipe or a device gets no more bytes, because a write may block.
        var isEndingEarly = false
        /// A job was enqueued, or runs.
        var isBusy = false
        /// The caller wants to be notified of the next write.
        var isAwaited = false
        /// Set when more than `waitingLimit` bytes wait, cleared when half of it wait. While set, the caller stops
        /// receiving.
        var isFull = false
        /// The caller has left the stream (`leave`), which a job closes.
        var isLeft = false

        /// Nothing more is written: the stream was refused or has failed, or it is closed.
        var isSettled: Bool { failure != nil || (isClosed && !isBusy) }

        mutating func dropPieces() {
            mustOpen = false
            waiting -= pieces.reduce(0) { $0 + $1.count }
            pieces = []
        }

        /// - Returns: whether the caller enqueues a job.
        mutating func becomeBusy() -> Bool {
            defer { isBusy = true }
            return !isBusy
        }
    }

    private enum Step {
        case open, close
        case write(Data)
    }

    /// When more bytes than this wait, receiving stops. It is three times the largest piece of libcurl's, which has the
    /// size of its buffer for a streamed response (`receiveBuffer`).
    private static let waitingLimit = 3 * (524_288 + 320)
    /// The most bytes of one write to a pipe or a device: the capacity of a pipe on Linux.
    private static let pipePiece = 65_536
    private static let stepsAtOnce = 16

    private let stream: OutputStream
    private let queue: StreamQueue
    private let moved: @Sendable () -> Void
    private let state = Locked(State())
    private var isOpened = false

    /// - Parameter moved: called on the queue's thread when a job has done all steps that waited, or has failed. Also
    ///   after the next write once `excess` has returned more than 0, and, for a pipe or device, after the first write
    ///   that follows each `takeWritten`.
    init(_ stream: OutputStream, moved: @escaping @Sendable () -> Void) {
        self.stream = stream
        self.moved = moved
        let stream = Locked(stream)
        queue = StreamQueue(mayWait: { stream.withLock { $0 }.mayWait })
    }

    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Whether a job closes the stream after `leave`, perhaps much later.
    var isLeft: Bool { state.withLock { $0.isLeft } }

    /// Bytes that were accepted, and that `takeWritten` has not returned yet.
    var waitingCount: Int { state.withLock { $0.waiting + $0.written } }

    /// Opens the stream; does nothing after the first call, since an operation that was resumed calls this again.
    func open() {
        guard !isOpened else { return }
        isOpened = true
        change { state in
            state.mustOpen = true
            return state.becomeBusy()
        }
    }

    func put(_ piece: Data) {
        if piece.isEmpty { return }
        change { state in
            guard state.failure == nil, !state.isLeft else { return false }
            state.pieces.append(piece)
            state.waiting += piece.count
            return state.becomeBusy()
        }
    }

    /// Returns the number of bytes that were written since the last call.
    ///
    /// - Throws: the stream's error.
    func takeWritten() throws -> Int {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            defer { state.written = 0 }
            return state.written
        }
    }

    /// Returns 0 if the caller may receive more. If not, `moved` is called after the next write.
    ///
    /// - Parameter isLast: whether the body has ended. If so, the stream is closed after the waiting pieces.
    /// - Returns: 0, or the bytes that wait. A job of a pipe or device without waiting bytes, which may be its opening,
    ///   counts as one byte.
    func excess(isLast: Bool) -> Int {
        let isPipe = queue.kind == .pipe
        var count = 0
        change { state in
            guard state.failure == nil, !state.isLeft else { return false }
            if isLast {
                if state.isSettled {
                    count = state.written
                    return false
                }
                state.mustClose = true
                count = max(1, state.waiting + state.written)
            } else if isPipe, state.waiting == 0 {
                // The call under way may be an open, which blocks until a reader opens the other end.
                count = state.isBusy ? 1 : 0
            } else {
                if state.waiting > Self.waitingLimit { state.isFull = true }
                if state.waiting <= Self.waitingLimit / 2 { state.isFull = false }
                count = state.isFull ? state.waiting : 0
            }
            state.isAwaited = count > 0
            return isLast && state.becomeBusy()
        }
        return count
    }

    /// Enqueues a job that writes the waiting pieces and closes the stream.
    ///
    /// - Parameters:
    ///   - isCancelled: whether the waiting pieces are discarded. Ignored if `keepsAll` is true.
    ///   - keepsAll: whether a pipe or a device gets the waiting pieces too. If false, a pipe's or device's are
    ///     discarded, and a call under way, which may block, is not waited for (`leave`).
    /// - Returns: whether the stream was closed, has failed or was left. If false, `moved` is called later; then call
    ///   this again.
    func settle(isCancelled: Bool, keepsAll: Bool) -> Bool {
        var (isSettled, mustLeave) = (false, false)
        change { state in
            isSettled = state.isSettled || state.isLeft
            if isSettled { return false }
            state.mustClose = true
            if !keepsAll {
                let isPipe = queue.kind == .pipe
                mustLeave = isPipe && state.isBusy && !state.isEndingEarly
                state.isEndingEarly = true
                if isCancelled || isPipe { state.dropPieces() }
            }
            return state.becomeBusy()
        }
        if mustLeave { leave() }
        return isSettled || mustLeave
    }

    /// Discards the waiting pieces, and waits for nothing more. A job closes the stream, after the call that is under
    /// way, if any.
    func leave() {
        var isFirst = false
        change { state in
            guard !state.isSettled, !state.isLeft else { return false }
            (state.isLeft, isFirst) = (true, true)
            state.dropPieces()
            return state.becomeBusy()
        }
        if isFirst { queue.leave() }
    }

    /// - Parameter change: returns whether to enqueue a job.
    private func change(_ change: (inout State) -> Bool) {
        guard state.withLock(change) else { return }
        // Retains this until the job ends, however long that takes.
        queue.perform { [self] refusal in work(refusal) }
    }

    // MARK: On the queue's thread

    private func work(_ refusal: URLError?) {
        if let refusal { state.withLock { $0.failure = $0.failure ?? refusal } }
        var count = 0
        while let step = nextStep() {
            count += 1
            if run(step) {
                guard count == Self.stepsAtOnce else { continue }
                // Other files share the thread, so their jobs run before the rest of this one.
                return queue.perform { [self] refusal in work(refusal) }
            }
            let failure = stream.writingError
            // Closed before `failure` is set, so that a caller who sees the failure finds the stream closed.
            stream.close()
            state.withLock { $0.failure = $0.failure ?? failure }
        }
        moved()
    }

    private func nextStep() -> Step? {
        state.withLock { state in
            // `settle` may have been called before the queue knew that the file is a pipe.
            if state.isEndingEarly, queue.kind == .pipe { state.dropPieces() }
            if state.failure == nil {
                if !state.isLeft, state.mustOpen {
                    state.mustOpen = false
                    return .open
                }
                if !state.isLeft, !state.pieces.isEmpty {
                    return .write(state.pieces.removeFirst())
                }
                if state.isLeft || state.mustClose, !state.isClosed {
                    state.isClosed = true
                    return .close
                }
            }
            state.isBusy = false
            return nil
        }
    }

    /// - Returns: false for a failure.
    private func run(_ step: Step) -> Bool {
        switch step {
        case .open:
            if stream.streamStatus == .notOpen { stream.openHere() }
            return stream.streamStatus != .error
        case .write(let piece):
            return write(piece)
        case .close:
            if stream.streamStatus != .closed { stream.close() }
            return true
        }
    }

    private func write(_ piece: Data) -> Bool {
        piece.withUnsafeBytes { bytes in
            let bytes = bytes.bindMemory(to: UInt8.self)
            let isDisk = queue.isDisk
            let most = isDisk ? bytes.count : Self.pipePiece
            var done = 0
            while done < bytes.count, let start = bytes.baseAddress {
                switch stream.streamStatus {
                case .error, .closed, .notOpen: return false
                default: break
                }
                let count = stream.write(start + done, maxLength: min(most, bytes.count - done))
                guard count > 0 else { return false }
                done += count
                let (isLeft, mustNotify) = state.withLock { state in
                    // The next write to a pipe may block for long, so these bytes are reported before it.
                    let isFirst = !isDisk && state.written == 0
                    state.waiting -= count
                    state.written += count
                    defer { state.isAwaited = false }
                    return (state.isLeft, state.isAwaited || isFirst)
                }
                if isLeft { return true }
                if mustNotify { moved() }
            }
            return true
        }
    }
}
