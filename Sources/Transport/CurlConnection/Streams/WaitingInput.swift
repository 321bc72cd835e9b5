package import Foundation
import Locking

/// A caller's input stream whose calls may wait, read away from the thread that sends.
///
/// A call that asks for bytes begins a read, and a later call gets them. A file whose length is declared is read
/// ahead, two pieces at most; any other stream one piece at a time.
///
/// ## Concurrency
/// Call from: one thread; `whenReady` is set before the first call. Lock: one around the pieces. Calls out on: the
/// stream's queue.
package final class WaitingInput: Sendable {
    private struct State {
        /// Called on its queue alone, but for the `close` of one that was never opened.
        let stream: InputStream
        /// Read and not taken yet, in order.
        var pieces: [Piece] = []
        /// Memory for the next one.
        var spare: Piece?
        /// Bytes of the declared length that were not read yet.
        var left: Int64
        var isEnd = false
        var failure: (any Error)?
        /// The queue is inside a call, or about to make one.
        var isBusy = false
        var isOver = false
        /// The reader found nothing, and is called once there is news.
        var isWanted = false
        /// A composed stream has no bytes now, and does not say when it has.
        var isAskedAgain = false
        /// The stream is to begin again; what is being read belongs to the past.
        var mustRewind = false

        var hasNews: Bool { !pieces.isEmpty || isEnd || failure != nil }
    }

    private static let smallPiece = 65_536
    private static let largePiece = 1 << 20
    private static let piecesAhead = 2

    private let queue: StreamQueue
    private let length: Int64?
    private let isComposed: Bool
    private let mayBeReadAhead: Bool
    private let state: Locked<State>
    private let ready = Locked<(@Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - length: how many bytes are to be read at most; nil: all that there are.
    ///   - queue: for a test's own.
    package init(_ stream: InputStream, length: Int64? = nil, on queue: StreamQueue? = nil) {
        let composed = stream as? any ComposedStream
        isComposed = composed != nil
        mayBeReadAhead = length != nil && composed?.mayBeReadAhead != false
        self.length = length
        let state = Locked(State(stream: stream, left: length ?? .max))
        self.state = state
        self.queue = queue ?? StreamQueue { state.withLock { $0.stream }.mayWait }
    }

    deinit {
        close()
    }

    /// Called on the queue, once, when there is news for a reader that found none: bytes, the end, a failure, or that
    /// the stream must be asked again after a while.
    package func whenReady(_ block: @escaping @Sendable () -> Void) {
        ready.withLock { $0 = block }
    }

    /// The next bytes, as many as there are and fit; 0 at the end; nil where none have come yet.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        guard buffer.count > 0 else { return nil }
        let (count, mustAsk): (Int?, Bool) = try state.withLock { state in
            if let first = state.pieces.first {
                let count = first.take(into: buffer)
                if first.isEmpty {
                    state.spare = state.spare ?? first
                    state.pieces.removeFirst()
                }
                return (count, mayBeReadAhead && state.left > 0 && queue.isDisk)
            }
            if let failure = state.failure { throw failure }
            if state.isEnd { return (0, false) }
            state.isWanted = true
            return (nil, true)
        }
        if mustAsk { ask() }
        return count
    }

    /// Whether the stream has no bytes, and nothing is called when it has.
    package var isAskedAgain: Bool { state.withLock { $0.isAskedAgain } }

    /// Has the next read begin at the first byte again.
    ///
    /// - Returns: false where the stream cannot; it must be replaced by a new one.
    package func rewind() -> Bool {
        // A stream at its end stays there, whatever its offset says.
        guard !isComposed, queue.isDisk else { return false }
        return state.withLock { state in
            guard !state.isEnd, state.failure == nil, !state.isOver else { return false }
            state.pieces = []
            state.left = length ?? .max
            state.mustRewind = true
            return true
        }
    }

    /// Has its queue close the stream after the call under way, since a close may wait for a file server. One that was
    /// never opened is closed at once.
    package func close() {
        let (stream, isBusy): (InputStream?, Bool) = state.withLock { state in
            guard !state.isOver else { return (nil, false) }
            state.isOver = true
            state.pieces = []
            state.spare = nil
            return (state.isBusy ? nil : state.stream, state.isBusy)
        }
        switch stream?.streamStatus {
        case nil, .closed: break
        case .notOpen: stream?.close()
        default:
            queue.perform { [state] _ in
                let stream = state.withLock { $0.stream }
                if stream.streamStatus != .closed { stream.close() }
            }
            queue.leave()
        }
        if isBusy { queue.leave() }
    }

    private func ask() {
        let isFree = state.withLock { state in
            guard !state.isBusy, !state.isOver, !state.isEnd, state.failure == nil,
                state.pieces.count < Self.piecesAhead
            else { return false }
            state.isBusy = true
            return true
        }
        guard isFree else { return }
        // The job holds this until the call returns.
        queue.perform { [self] refusal in take(refusal) }
    }

    // MARK: On the queue

    private enum Taken {
        case bytes(Piece)
        case none
        case end
        case failed(any Error)
    }

    private func take(_ refusal: URLError?) {
        let (stream, left, spare, mustRewind) = state.withLock { state in
            defer {
                state.mustRewind = false
                state.spare = nil
            }
            return (state.stream, state.left, state.spare, state.mustRewind)
        }
        let isLeft = state.withLock { $0.isOver }
        let taken: Taken =
            if isLeft {
                .none
            } else if let refusal {
                .failed(refusal)
            } else if mustRewind, stream.streamStatus != .notOpen, !stream.rewind() {
                .failed(Self.cannotBeginAgain)
            } else {
                take(from: stream, room: room(left), spare)
            }
        let (isOver, isWanted, mustGoOn) = state.withLock { state in
            state.isBusy = false
            if state.mustRewind {
                // What was read is not the beginning; the next call has it read anew.
                return (state.isOver, state.isWanted, state.isWanted && !state.isOver)
            }
            let wasAskedAgain = state.isAskedAgain
            state.isAskedAgain = false
            switch taken {
            case .bytes(let piece):
                state.left -= Int64(piece.count)
                state.pieces.append(piece)
            case .none: state.isAskedAgain = true
            case .end: state.isEnd = true
            case .failed(let error): state.failure = error
            }
            let isNews = state.hasNews || state.isAskedAgain != wasAskedAgain
            let isWanted = state.isWanted && isNews
            if isWanted { state.isWanted = false }
            let mustGoOn = mayBeReadAhead && queue.isDisk && state.left > 0 && !state.pieces.isEmpty
            return (state.isOver, isWanted, mustGoOn && !state.isOver)
        }
        if isOver {
            if stream.streamStatus != .closed { stream.close() }
            return
        }
        if mustGoOn { ask() }
        if isWanted { ready.withLock { $0 }?() }
    }

    private func room(_ left: Int64) -> Int {
        Int(min(Int64(queue.isDisk ? Self.largePiece : Self.smallPiece), left))
    }

    private func take(from stream: InputStream, room: Int, _ spare: Piece?) -> Taken {
        if stream.streamStatus == .notOpen { stream.openHere() }
        switch stream.streamStatus {
        case .atEnd: return .end
        case .error, .closed: return .failed(stream.readingError)
        default: break
        }
        // One of its parts has no bytes, or it is paced: it is asked again later.
        if isComposed, !stream.hasBytesAvailable { return .none }
        let piece = spare.flatMap { $0.capacity >= room ? $0 : nil } ?? Piece(room)
        let count = piece.fill(room) { stream.read($0, maxLength: $1) }
        if count < 0 { return .failed(stream.readingError) }
        return count == 0 ? .end : .bytes(piece)
    }

    private static var cannotBeginAgain: URLError {
        URLError(
            .requestBodyStreamExhausted,
            described: [
                NSLocalizedDescriptionKey: "The body stream cannot begin at its first byte again."
            ])
    }
}

/// Memory that a stream is read into.
///
/// ## Concurrency
/// Call from: one thread at a time. Lock: none; its owner's.
private final class Piece {
    let capacity: Int
    private(set) var count = 0
    private var taken = 0
    private let memory: UnsafeMutableRawPointer

    /// Where the destination's offset in its page is a little larger than the source's, the processor takes the two
    /// for overlapping and copies five times slower. libcurl's large buffers begin 16 bytes into a page.
    private static let offset = 64

    init(_ capacity: Int) {
        self.capacity = capacity
        memory = .allocate(byteCount: capacity + Self.offset, alignment: 4_096)
    }

    deinit {
        memory.deallocate()
    }

    var isEmpty: Bool { taken == count }

    /// - Parameter read: gives the number of bytes that it put there, or less than 0.
    func fill(_ room: Int, _ read: (UnsafeMutablePointer<UInt8>, Int) -> Int) -> Int {
        let start = (memory + Self.offset).assumingMemoryBound(to: UInt8.self)
        let result = read(start, room)
        (taken, count) = (0, max(0, min(result, room)))
        return result
    }

    func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, count - taken)
        buffer.copyMemory(
            from: UnsafeRawBufferPointer(start: memory + Self.offset + taken, count: count))
        taken += count
        return count
    }
}
