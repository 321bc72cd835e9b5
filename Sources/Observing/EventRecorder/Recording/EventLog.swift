import CEvents
import Synchronization

/// The events of one thread: pieces of memory that no other thread writes to.
///
/// The thread writes an event behind its last one, and then tells how far it has come. Only where it
/// has no place left, or another recording has begun, it asks the recorder.
///
/// The last piece stays the thread's after a recording. So a thread that the stop overtakes writes its
/// event into memory that is still its own.
///
/// ## Concurrency
/// Call from: its thread, to keep an event; else any, under the recorder's lock. Calls out: never.
final class EventLog: @unchecked Sendable {
    // @unchecked because the variables are used under the recorder's lock alone.
    private typealias Place = UnsafeMutablePointer<Event>
    private typealias Piece = UnsafeMutableBufferPointer<Event>

    /// The kernel's number.
    let thread = cevents_thread()
    /// Where the next event goes; all before it in its piece are written.
    private let next = Atomic<Place?>(nil)
    /// How far the thread may write without asking.
    private let end = Atomic<Place?>(nil)
    /// Whose events these are.
    private let recording = Atomic<UInt32>(0)

    // MARK: Guarded by the recorder's lock

    /// All but the last are full.
    private var pieces: [Piece] = []
    /// Set when the thread ends; empty where it had none.
    var lastName: String?

    deinit { freePieces() }

    // MARK: Its thread

    /// Keeps an event in this thread's log, which the first one makes.
    @inline(__always)
    static func keep(_ event: Event, of recording: UInt32) {
        let pointer = cevents_get_log() ?? made()
        Unmanaged<EventLog>.fromOpaque(pointer)._withUnsafeGuaranteedRef { log in
            if !log.keep(event, of: recording) { Recorder.keep(event, of: recording, in: log) }
            if cevents_get_listeners() != 0 { EventListeners.tell(of: event, on: log.thread) }
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

    /// Keeps an event, if the thread has a place for it in this recording.
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

    /// Adds places, where none is left in this recording; on its thread.
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

    /// Takes out what the thread has written by now; gives back all pieces but the last.
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
