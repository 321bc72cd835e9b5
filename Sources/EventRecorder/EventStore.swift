import Foundation

/// Where events lie while they are recorded: a log for each thread, and memory that logs take runs
/// of slots from.
///
/// A run belongs to its thread until that ends, so a thread that was stopped in the middle of an
/// event never writes into another's. A closed store hands out no runs, and whoever reads a log
/// takes what is written by then; what is just being written is not part of the recording.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`. Calls out: the block of `close`, under it.
final class EventStore: @unchecked Sendable {
    // @unchecked because the variables are used under `lock` alone.
    static let shared = EventStore()

    /// Slots in a run.
    static let runSize = 1 << 11
    /// The most events that a store can hold.
    static let limit = 1 << 25

    let lock = NSLock()

    // MARK: Guarded by lock

    private(set) var isOpen = false
    /// Which recording this is, from 1; between two recordings it is the last one's.
    private(set) var recording: UInt32 = 0
    private(set) var origin = StoredEvent.Origin()
    /// Each knows its place.
    private var logs: [EventLog] = []
    /// Of threads that ended and left no event.
    private var droppedByGone = 0
    /// Events that may still come.
    private var room = 0
    /// As many as a log takes at a time.
    private var share = 1
    private var freeRuns: [EventLog.Slot] = []
    private var memory = EventMemory()
    /// Threads that ended while they were recorded.
    private var ended: [EventLog] = []

    // MARK: For logs

    /// A log for a thread that has none.
    func makeLog(for thread: UInt32) -> EventLog {
        let log = EventLog(of: thread, in: self)
        lock.withLock {
            log.place = logs.count
            logs.append(log)
        }
        return log
    }

    /// The log's thread is about to end.
    ///
    /// - Returns: whether a recording has, or may have, some of its events.
    @discardableResult
    func threadEnds(_ log: EventLog) -> Bool {
        lock.withLock {
            guard isOpen else {
                takeBack(log)
                return true
            }
            guard !log.hasEvents(of: recording) else {
                ended.append(log)
                return true
            }
            droppedByGone += log.read(recording) { _ in }
            takeBack(log)
            return false
        }
    }

    private func takeBack(_ log: EventLog) {
        freeRuns += log.runs.map(\.start)
        // The last one takes its place.
        guard let last = logs.popLast(), last !== log else { return }
        last.place = log.place
        logs[log.place] = last
    }

    private func takeBackEnded() {
        ended.forEach(takeBack)
        ended = []
    }

    /// Room for some more events; 0 when the store is full. The lock is held.
    func takeRoom(atMost most: Int) -> Int {
        let taken = min(share, most, room)
        room -= taken
        return taken
    }

    /// Room that was taken and is of no use. The lock is held.
    func giveBack(_ count: Int) {
        room += count
    }

    /// Memory for a run. The lock is held.
    func takeRun() -> EventLog.Slot { freeRuns.popLast() ?? memory.takeRun() }

    /// A run is about to be written to. The lock is held.
    func prepare(_ run: EventLog.Slot) { memory.prepare(run) }

    // MARK: For who records

    /// Takes events from now on.
    ///
    /// - Parameter capacity: the most of them, at least 1. A thread takes room for a thousandth of
    ///   it at a time, so where there are several, some of it may stay empty.
    /// - Returns: the number of this recording, from 1.
    @discardableResult
    func open(capacity: Int, from origin: StoredEvent.Origin) -> UInt32 {
        lock.withLock {
            takeBackEnded()
            droppedByGone = 0
            recording += 1
            self.origin = origin
            self.origin.recording = recording
            room = min(capacity, Self.limit)
            share = min(max(1, room >> 10), Self.runSize)
            memory.prepare(first: room)
            isOpen = true
            return recording
        }
    }

    /// Takes no more events, and shows all, thread by thread.
    ///
    /// - Returns: how many were dropped.
    func close(_ scale: TickScale, _ body: (StoredEvent.Unfolded) -> Void) -> Int {
        lock.withLock {
            isOpen = false
            let dropped = logs.reduce(droppedByGone) { dropped, log in
                dropped
                    + log.read(recording) { slot in
                        StoredEvent.unfolded(slot, log.thread, origin, scale).map(body)
                    }
            }
            takeBackEnded()
            memory.empty()
            return dropped
        }
    }
}
