import CEvents
import Synchronization

/// The events of one thread, in chunks of memory that no other thread writes to.
///
/// The thread appends an event and then publishes how far it has written. Only where a chunk is
/// full, or another recording has begun, does it call the recorder.
///
/// The last chunk stays the thread's after a recording. So a thread that is still writing when the
/// recording stops writes into memory of its own.
///
/// ## Concurrency
/// Call from: its thread, to append an event; else any, under the recorder's lock. Calls out:
/// never.
final class EventLog: @unchecked Sendable {
    // @unchecked because the variables are used under the recorder's lock alone.
    private typealias Place = UnsafeMutablePointer<Event>
    private typealias Piece = UnsafeMutableBufferPointer<Event>

    let thread = cevents_thread()
    /// Where the next event goes; all events before it in its chunk are written.
    private let next = Atomic<Place?>(nil)
    /// The end of the chunk, up to which the thread writes without the recorder.
    private let end = Atomic<Place?>(nil)
    private let recording = Atomic<UInt32>(0)

    // MARK: Guarded by the recorder's lock

    /// All but the last are full.
    private var pieces: [Piece] = []
    /// The thread's name when it ended; empty where it had none.
    var lastName: String?

    deinit { freePieces() }

    // MARK: Its thread

    /// Appends an event to this thread's log, which the first event creates.
    @inline(__always)
    static func keep(_ event: Event, of recording: UInt32) {
        let pointer = cevents_get_log() ?? made()
        Unmanaged<EventLog>.fromOpaque(pointer)._withUnsafeGuaranteedRef { log in
            if !log.keep(event, of: recording) { Recorder.keep(event, of: recording, in: log) }
            if cevents_get_listeners() != 0 { EventListeners.notify(of: event, on: log.thread) }
        }
    }

    @inline(never)
    private static func made() -> UnsafeMutableRawPointer {
        let log = Unmanaged.passUnretained(Recorder.makeLog()).toOpaque()
        cevents_set_log(log) { log in
            guard let log else { return }
            Recorder.threadEnds(Unmanaged.fromOpaque(log).takeUnretainedValue())
        }
        return log
    }

    /// Appends an event if this recording's chunk has space.
    @inline(__always)
    func keep(_ event: Event, of recording: UInt32) -> Bool {
        guard let place = next.load(ordering: .relaxed), place != end.load(ordering: .relaxed),
            recording == self.recording.load(ordering: .relaxed)
        else { return false }
        place.initialize(to: event)
        place.pointee.thread = thread
        next.store(place + 1, ordering: .releasing)
        return true
    }

    // MARK: Under the recorder's lock

    /// Adds space where none is left in this recording; on its own thread.
    func addPiece(_ count: Int, of recording: UInt32) {
        if recording != self.recording.exchange(recording, ordering: .relaxed) { freePieces() }
        let piece = Piece.allocate(capacity: count)
        pieces.append(piece)
        next.store(piece.baseAddress, ordering: .relaxed)
        end.store(piece.baseAddress.map { $0 + count }, ordering: .relaxed)
    }

    func hasEvents(of recording: UInt32) -> Bool {
        recording == self.recording.load(ordering: .relaxed) && !pieces.isEmpty
    }

    /// Removes and returns the events written so far; frees all chunks but the last.
    func takeEvents(of recording: UInt32) -> [Event] {
        guard hasEvents(of: recording), let last = pieces.popLast(), let start = last.baseAddress,
            let next = next.load(ordering: .acquiring)
        else { return [] }
        var events: [Event] = []
        events.reserveCapacity(pieces.reduce(last.count) { $0 + $1.count })
        for piece in pieces { events.append(contentsOf: piece) }
        events.append(contentsOf: last.prefix(start.distance(to: next)))
        freePieces()
        pieces = [last]
        return events
    }

    private func freePieces() {
        for piece in pieces { piece.deallocate() }
        pieces = []
    }
}
