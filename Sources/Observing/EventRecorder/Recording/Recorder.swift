import CEvents
import Foundation
import Locking

/// Starts and stops recordings, and has the current recording's state except the threads' logs.
///
/// Stopping a recording takes the events that each thread has written by then, and waits for no
/// thread.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state, then that of the texts. Calls out: the blocks
/// of `whenStopped` and the closures that make records, without a lock.
enum Recorder {
    private static let mostEvents = 1 << 25
    /// The least bytes for texts, and the bytes for each event of the capacity.
    private static let (leastTextBytes, textBytesAnEvent) = (1 << 18, 16)

    /// The current recording without its events. Used under the lock.
    final class Session {
        let start = EventRecorder.now
        let startDate = Date()
        /// Events that no thread has reserved yet, and how many of them a thread reserves at a time.
        fileprivate var remainingEvents: Int
        fileprivate let share: Int
        fileprivate var droppedEvents = 0
        fileprivate let texts: TextList
        var exchanges: ExchangeList
        /// Blocks to call when the recording stops, by their numbers.
        var watchers: [UInt64: @Sendable () -> Void] = [:]

        fileprivate init(_ recording: UInt32, capacity: Int, textBytes: Int) {
            (remainingEvents, share) = (capacity, min(max(1, capacity >> 8), 1 << 10))
            texts = TextTable.begin(recording, bytes: textBytes)
            exchanges = ExchangeList(capacity: capacity, bytes: textBytes)
        }
    }

    private struct State {
        var session: Session?
        /// The number of the current recording, or the last one.
        var recording: UInt32 = 0
        /// The logs of threads that run, and of ended ones that have events in this recording.
        var logs: [ObjectIdentifier: EventLog] = [:]

        mutating func takeParts() -> [Part] {
            let parts = logs.values.map { ($0, $0.takeEvents(of: recording)) }
            logs = logs.filter { $0.value.lastName == nil }
            return parts
        }
    }

    private typealias Part = (log: EventLog, events: [Event])

    private static let state = Locked(State())

    // MARK: Start and stop

    static func start(capacity: Int, textBytes: Int?) throws {
        let capacity = min(max(1, capacity), mostEvents)
        let textBytes = max(0, textBytes ?? max(leastTextBytes, capacity * textBytesAnEvent))
        try state.withLock { state in
            guard state.session == nil else { throw EventRecorderError.alreadyRecording }
            state.recording += 1
            state.session = Session(state.recording, capacity: capacity, textBytes: textBytes)
            cevents_set_recording(state.recording)
        }
    }

    static func stop() -> Recording {
        let stopped = state.withLock { state -> (Session, [Part])? in
            guard let session = state.session.take() else { return nil }
            cevents_set_recording(0)
            TextTable.end()
            return (session, state.takeParts())
        }
        guard let (session, parts) = stopped else { return Recording() }
        let recording = recording(of: session, parts)
        for watcher in session.watchers.values { watcher() }
        return recording
    }

    private static func recording(of session: Session, _ parts: [Part]) -> Recording {
        var recording = Recording(
            exchanges: session.exchanges.records(since: session.start, session.startDate),
            dropped: session.droppedEvents + session.exchanges.droppedCount,
            startTime: session.start, startDate: session.startDate,
            process: ProcessInfo.processInfo.processName, processNumber: UInt32(getpid()))
        for (log, events) in parts {
            // An event may be recorded after the start for an earlier time.
            let events = events.filter { $0.time >= session.start }
            guard !events.isEmpty else { continue }
            recording.events += events
            recording.threads[log.thread] = ThreadName.description(name(of: log), of: log.thread)
        }
        recording.orderEvents()
        recording.textsLeftOut = session.texts.leftOutCount + session.exchanges.leftOutCount
        recording.texts.all = [session.texts]
        return recording
    }

    /// An ending thread stores its name in its log, because the kernel may reuse its id.
    private static func name(of log: EventLog) -> String? {
        let last = { state.withLock { _ in log.lastName } }
        return last() ?? ThreadName.ofKernel(log.thread) ?? last()
    }

    // MARK: While a recording is made

    /// - Returns: nil where nothing is recorded.
    static func withSession<Result>(_ body: (Session) -> Result) -> Result? {
        state.withLock { $0.session.map(body) }
    }

    /// Stores an event whose thread has no space left; drops it beyond the capacity.
    static func keep(_ event: Event, of recording: UInt32, in log: EventLog) {
        state.withLock { state in
            guard let session = state.session, recording == state.recording else { return }
            let count = min(session.share, session.remainingEvents)
            guard count > 0 else { return session.droppedEvents += 1 }
            session.remainingEvents -= count
            log.addPiece(count, of: recording)
            _ = log.keep(event, of: recording)
        }
    }

    static func makeLog() -> EventLog {
        let log = EventLog()
        state.withLock { $0.logs[ObjectIdentifier(log)] = log }
        return log
    }

    static func threadEnds(_ log: EventLog) {
        let name = ThreadName.ofKernel(log.thread)
        state.withLock { state in
            log.lastName = name ?? ""
            if state.session == nil || !log.hasEvents(of: state.recording) {
                state.logs[ObjectIdentifier(log)] = nil
            }
        }
    }
}
