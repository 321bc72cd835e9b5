import CurlConnection
import Foundation
import FoundationNetworking
import Locking

/// Opens, writes and closes a caller's output stream of a file, on a thread for files or one of the stream's own
/// (`StreamQueue`). A job on that thread writes all pieces that wait, in order.
///
/// ## Concurrency
/// Call from: one thread. Lock: one around the state. Calls out on: the stream's thread (the stream and `moved`), not
/// under the lock.
final class WaitingOutput: @unchecked Sendable {
    // @unchecked because the stream is called only in jobs of `queue`; the rest is the caller's thread's, or guards itself.
    private struct State {
        var pieces: [Data] = []
        /// Bytes that are not written yet.
        var waiting = 0
        /// Bytes that were written and not counted yet.
        var written = 0
        var failure: (any Error)?
        var mustOpen = false
        var mustClose = false
        var isClosed = false
        /// Nothing more is accepted; a pipe or device gets no more bytes.
        var isEnding = false
        /// A job was enqueued, or runs.
        var isBusy = false
        /// The caller waits for bytes to be written.
        var isAwaited = false
        /// No more is received until half of what waits is written.
        var isFull = false
        /// The caller no longer waits for it; it is only closed.
        var isOver = false

        var isSettled: Bool { failure != nil || (isClosed && !isBusy) }

        mutating func drop() {
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

    /// Bytes that may wait before receiving is suspended: pieces that come while another is written.
    private static let room = 3 * (524_288 + 320)
    /// The most that a pipe takes at once.
    private static let pipePiece = 65_536
    private static let stepsAtOnce = 16

    private let stream: OutputStream
    private let queue: StreamQueue
    private let moved: @Sendable () -> Void
    private let state = Locked(State())
    private var isOpened = false
    /// Whether the stream's thread was in a call at the end, and closes the stream after it.
    private(set) var isLeft = false

    /// - Parameter moved: called on the stream's thread when all was written, after a failure, and after each piece while
    ///   the caller waits.
    init(_ stream: OutputStream, moved: @escaping @Sendable () -> Void) {
        self.stream = stream
        self.moved = moved
        let stream = Locked(stream)
        queue = StreamQueue(mayWait: { stream.withLock { $0 }.mayWait })
    }

    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Bytes that were accepted and not counted yet.
    var waitingCount: Int { state.withLock { $0.waiting + $0.written } }

    /// Opens the stream, once: a run that follows a pause finds it open.
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
            guard state.failure == nil, !state.isOver else { return false }
            state.pieces.append(piece)
            state.waiting += piece.count
            return state.becomeBusy()
        }
    }

    /// The bytes that were written since the last call.
    ///
    /// - Throws: the stream's error.
    func takeWritten() throws -> Int {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            defer { state.written = 0 }
            return state.written
        }
    }

    /// The number of bytes that must be written before more are received; a pipe's open that blocks counts as one.
    ///
    /// - Parameter isLast: all bytes were received. Then all must be written, and the stream is closed.
    func excess(isLast: Bool) -> Int {
        let isPeers = queue.kind == .peer
        var count = 0
        change { state in
            guard state.failure == nil, !state.isOver else { return false }
            if isLast {
                if state.isSettled {
                    count = state.written
                    return false
                }
                state.mustClose = true
                count = max(1, state.waiting + state.written)
            } else if isPeers, state.waiting == 0 {
                // A pipe without a reader may never take a byte.
                count = state.isBusy ? 1 : 0
            } else {
                if state.waiting > Self.room { state.isFull = true }
                if state.waiting <= Self.room / 2 { state.isFull = false }
                count = state.isFull ? state.waiting : 0
            }
            state.isAwaited = count > 0
            return isLast && state.becomeBusy()
        }
        return count
    }

    /// Writes the waiting pieces and closes the stream.
    ///
    /// - Parameters:
    ///   - isCancelled: waiting pieces are dropped.
    ///   - keepsAll: a pipe or a device gets all pieces too. Otherwise its waiting ones are dropped, since it may block for
    ///     ever.
    /// - Returns: whether that is done, or a pipe or device is in a call that blocks, after which its thread closes it.
    func settle(isCancelled: Bool, keepsAll: Bool) -> Bool {
        var (isSettled, mustLeave) = (false, false)
        change { state in
            isSettled = state.isSettled || state.isOver
            if isSettled { return false }
            state.mustClose = true
            if !keepsAll {
                let isPeers = queue.kind == .peer
                mustLeave = isPeers && state.isBusy && !state.isEnding
                state.isEnding = true
                if isCancelled || isPeers { state.drop() }
            }
            return state.becomeBusy()
        }
        if mustLeave { leave() }
        return isSettled || mustLeave
    }

    /// Gives up the stream; its thread closes it after a call that it is in.
    func leave() {
        let isBusy = state.withLock { state in
            guard !state.isSettled, !state.isOver else { return false }
            state.isOver = true
            state.pieces = []
            return state.isBusy
        }
        guard isBusy else { return }
        isLeft = true
        queue.leave()
    }

    /// - Parameter change: returns whether to enqueue a job.
    private func change(_ change: (inout State) -> Bool) {
        guard state.withLock(change) else { return }
        // Retains this until the job ends, however long that takes.
        queue.perform { [self] refusal in work(refusal) }
    }

    // MARK: On the stream's thread

    private func work(_ refusal: URLError?) {
        if let refusal { state.withLock { $0.failure = $0.failure ?? refusal } }
        var count = 0
        while let step = nextStep() {
            count += 1
            if run(step) {
                guard count == Self.stepsAtOnce else { continue }
                // Jobs of other files come first.
                return queue.perform { [self] refusal in work(refusal) }
            }
            let failure = stream.writingError
            // Before the caller can see the failure.
            stream.close()
            state.withLock { $0.failure = $0.failure ?? failure }
        }
        moved()
    }

    private func nextStep() -> Step? {
        state.withLock { state in
            // The end may have come before the kind of the file was known.
            if state.isEnding, queue.kind == .peer { state.drop() }
            if state.failure == nil {
                if !state.isOver, state.mustOpen {
                    state.mustOpen = false
                    return .open
                }
                if !state.isOver, !state.pieces.isEmpty {
                    return .write(state.pieces.removeFirst())
                }
                if state.isOver || state.mustClose, !state.isClosed {
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
                let (isOver, mustNotify) = state.withLock { state in
                    // A pipe may take nothing after this for a long time, so the first bytes are reported at once.
                    let isFirst = !isDisk && state.written == 0
                    state.waiting -= count
                    state.written += count
                    defer { state.isAwaited = false }
                    return (state.isOver, state.isAwaited || isFirst)
                }
                if isOver { return true }
                if mustNotify { moved() }
            }
            return true
        }
    }
}
