import CurlConnection
import Foundation
import FoundationNetworking
import Locking

/// A caller's output stream of a file, opened, written and closed away from the network thread.
///
/// It takes whole pieces; one job of its line writes all that wait, in their order. Bytes count once they are
/// written.
///
/// ## Concurrency
/// Call from: one thread. Lock: one around what is to be done, and what was. Calls out on: the stream's line (the
/// stream and `moved`), not under the lock.
final class WaitingOutput: @unchecked Sendable {
    // @unchecked because the stream is called on its line alone; the rest is the caller's thread's, or guards itself.
    private struct State {
        /// What the stream is to get, in order.
        var pieces: [Data] = []
        /// Bytes taken that are not written yet.
        var waiting = 0
        /// Bytes that were written and not counted yet.
        var written = 0
        var failure: (any Error)?
        var mustOpen = false
        var mustClose = false
        var isClosed = false
        /// Nothing more is written, but for a disk what it was given.
        var isEnding = false
        /// The line has a job, or is inside it.
        var isBusy = false
        /// The caller waits for bytes to be written.
        var isAwaited = false
        /// No more is received until half of what waits is written.
        var isFull = false
        /// Nobody waits for it any more; it is only closed.
        var isOver = false

        var isSettled: Bool { failure != nil || (isClosed && !isBusy) }

        mutating func drop() {
            mustOpen = false
            waiting -= pieces.reduce(0) { $0 + $1.count }
            pieces = []
        }

        /// - Returns: whether the line is to get a job.
        mutating func becomeBusy() -> Bool {
            defer { isBusy = true }
            return !isBusy
        }
    }

    private enum Step {
        case open, close
        case write(Data)
    }

    /// Bytes that may wait before more are received: pieces of the network's, which come while another is written.
    private static let room = 3 * (524_288 + 320)
    /// A pipe takes no more at once.
    private static let pipePiece = 65_536
    private static let stepsAtOnce = 16

    private let stream: OutputStream
    private let line: StreamLine
    private let moved: @Sendable () -> Void
    private let state = Locked(State())
    private var isOpened = false
    /// Whether the line was inside a call at the end, and closes the stream after it.
    private(set) var isLeft = false

    /// - Parameter moved: called on the line when it has written what there was, or failed, and while the caller waits,
    ///   after each piece.
    init(_ stream: OutputStream, moved: @escaping @Sendable () -> Void) {
        self.stream = stream
        self.moved = moved
        let stream = Locked(stream)
        line = StreamLine(mayWait: { stream.withLock { $0 }.mayWait })
    }

    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Bytes that were taken and are not counted yet.
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

    /// Takes a piece.
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

    /// How much must be written before more is received; a pipe's open that waits counts.
    ///
    /// - Parameter isLast: there is nothing more to come. Then everything must be written, and the stream is closed.
    func excess(isLast: Bool) -> Int {
        let isPeers = line.kind == .peer
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
                // One that nobody has opened may never take a byte.
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

    /// Has the stream get what was taken, and be closed after it.
    ///
    /// - Parameters:
    ///   - isCancelled: what the stream was not given yet is dropped.
    ///   - keepsAll: a pipe or a device gets everything too. Otherwise what it was not given yet is dropped, since it
    ///     may take nothing for ever.
    /// - Returns: whether that has happened. Also where a pipe or a device of which nothing is kept is inside a call:
    ///   it is left to its thread.
    func settle(isCancelled: Bool, keepsAll: Bool) -> Bool {
        var (isSettled, mustLeave) = (false, false)
        change { state in
            isSettled = state.isSettled || state.isOver
            if isSettled { return false }
            state.mustClose = true
            if !keepsAll {
                let isPeers = line.kind == .peer
                mustLeave = isPeers && state.isBusy && !state.isEnding
                state.isEnding = true
                if isCancelled || isPeers { state.drop() }
            }
            return state.becomeBusy()
        }
        if mustLeave { leave() }
        return isSettled || mustLeave
    }

    /// Leaves the stream to its line, which closes it after the call that it is in.
    func leave() {
        let isBusy = state.withLock { state in
            guard !state.isSettled, !state.isOver else { return false }
            state.isOver = true
            state.pieces = []
            return state.isBusy
        }
        guard isBusy else { return }
        isLeft = true
        line.leave()
    }

    /// - Parameter change: whether the line is to get a job.
    private func change(_ change: (inout State) -> Bool) {
        guard state.withLock(change) else { return }
        // Held until the job ends, however long that takes.
        line.perform { [self] refusal in work(refusal) }
    }

    // MARK: On the line

    private func work(_ refusal: URLError?) {
        if let refusal { state.withLock { $0.failure = $0.failure ?? refusal } }
        var count = 0
        while let step = nextStep() {
            count += 1
            if run(step) {
                guard count == Self.stepsAtOnce else { continue }
                // Other files have their turn.
                return line.perform { [self] refusal in work(refusal) }
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
            // The end may have come before it was known what the stream is.
            if state.isEnding, line.kind == .peer { state.drop() }
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
            let isDisk = line.isDisk
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
                let (isOver, mustTell) = state.withLock { state in
                    // A pipe may take nothing after this for long; its reader's progress is seen before.
                    let isFirst = !isDisk && state.written == 0
                    state.waiting -= count
                    state.written += count
                    defer { state.isAwaited = false }
                    return (state.isOver, state.isAwaited || isFirst)
                }
                if isOver { return true }
                if mustTell { moved() }
            }
            return true
        }
    }
}
