import CurlConnection
import Foundation
import FoundationNetworking
import Locking

/// A caller's output stream whose calls may wait, written on a thread of its own.
///
/// It takes one piece at a time, and counts it once it is written: the caller offers the same bytes
/// again until then.
///
/// ## Concurrency
/// Call from: one thread. Lock: one around what a call gave. Calls out on: the stream's thread.
final class WaitingOutput: @unchecked Sendable {
    // @unchecked because the stream is its thread's, or nobody's while no call is under way; the rest
    // is the caller's thread's, or guards itself.
    private struct State {
        /// Bytes of the last piece that were written.
        var written = 0
        var failure: (any Error)?
        /// The thread is inside a call.
        var isBusy = false
        var isOver = false
    }

    private static let pieceSize = 65_536

    private let stream: OutputStream
    private let thread: StreamThread
    private let state = Locked(State())
    private var isOpened = false
    /// Bytes handed to the thread and not counted yet.
    private(set) var underWay = 0
    /// Whether the thread was inside a call at the end, and closes the stream after it.
    private(set) var isLeft = false

    /// - Throws: where too many streams wait already.
    init(_ stream: OutputStream) throws(URLError) {
        thread = try StreamThread()
        self.stream = stream
    }

    /// Whether the thread is inside a call.
    var isBusy: Bool { state.withLock { $0.isBusy } }

    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Opens the stream, once: a run that follows a pause finds it open.
    func open() {
        guard !isOpened else { return }
        isOpened = true
        call { stream in
            if stream.streamStatus == .notOpen { stream.open() }
            return stream.streamStatus == .error ? -1 : 0
        }
    }

    /// Bytes that are written by now, of those offered before and again; then begins with the next.
    ///
    /// - Throws: the stream's error.
    func write(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        var done = 0
        if underWay > 0 {
            let written: Int? = try state.withLock { state in
                if let failure = state.failure { throw failure }
                return state.isBusy ? nil : state.written
            }
            guard let written else { return 0 }
            underWay = 0
            done = min(written, bytes.count)
        }
        let piece = Data(bytes[done...].prefix(Self.pieceSize))
        guard !piece.isEmpty else { return done }
        let isTaken = call { stream in
            switch stream.streamStatus {
            case .error, .closed, .notOpen: return -1
            default: break
            }
            guard stream.hasSpaceAvailable else { return 0 }
            return piece.withUnsafeBytes { bytes in
                bytes.bindMemory(to: UInt8.self).baseAddress.map {
                    min(stream.write($0, maxLength: bytes.count), bytes.count)
                } ?? 0
            }
        }
        if isTaken { underWay = piece.count }
        if !isTaken, let failure { throw failure }
        return done
    }

    /// Closes the stream, or lets its thread do so after the call that it waits in.
    func close() {
        let (isMine, isBusy, wasOver) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isBusy && state.failure == nil, state.isBusy, state.isOver)
        }
        guard !wasOver else { return }
        isLeft = isBusy
        if isMine { stream.close() }
    }

    /// Has the thread call the stream, unless it is inside a call or the stream is over.
    ///
    /// - Parameter body: gives the bytes written, or -1 for a failure.
    @discardableResult
    private func call(_ body: @escaping @Sendable (OutputStream) -> Int) -> Bool {
        let isFree = state.withLock { state in
            guard !state.isBusy, !state.isOver, state.failure == nil else { return false }
            state.isBusy = true
            return true
        }
        guard isFree else { return false }
        // Held until the call returns, however long that takes.
        thread.perform { [self] in
            let count = body(stream)
            let failure = count < 0 ? stream.writingError : nil
            // Before the caller can see the failure.
            if failure != nil { stream.close() }
            let isOver = state.withLock { state in
                state.written = max(0, count)
                state.failure = failure
                state.isBusy = false
                return state.isOver
            }
            if isOver, failure == nil { stream.close() }
        }
        return true
    }
}
