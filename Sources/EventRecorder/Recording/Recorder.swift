import CEvents
import Foundation

/// Starts and stops recordings, and has all of the present one that is no thread's own.
///
/// Whoever stops a recording takes what each thread has written by then; nobody waits for a writer.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, then that of the texts. Calls out: the watchers and the
/// makers of records, under none.
final class Recorder: @unchecked Sendable {
    // @unchecked because all variables are used under `lock` alone.
    static let shared = Recorder()

    /// The most events of a recording.
    private static let mostEvents = 1 << 25
    /// Texts have room for at least so many bytes, or so many for each event that may come.
    private static let (leastTextBytes, textBytesAnEvent) = (1 << 18, 16)

    /// What is recorded now, but the events. Used under `lock`.
    final class Session {
        let start = EventRecorder.now
        let startDate = Date()
        /// Events that may still come, and how many of them a thread takes at a time.
        fileprivate var room: Int
        fileprivate let share: Int
        fileprivate var droppedEvents = 0
        fileprivate let texts: TextList
        var exchanges: ExchangeList
        /// Whom to tell of the end, by their numbers.
        var watchers: [UInt64: @Sendable () -> Void] = [:]

        fileprivate init(_ recording: UInt32, capacity: Int, textBytes: Int) {
            (room, share) = (capacity, min(max(1, capacity >> 8), 1 << 10))
            texts = TextTable.shared.begin(recording, bytes: textBytes)
            exchanges = ExchangeList(capacity: capacity, bytes: textBytes)
        }
    }

    private let lock = NSLock()

    // MARK: Guarded by lock

    private var session: Session?
    /// The number of this recording, or the last one.
    private var recording: UInt32 = 0
    /// Of living threads, and of those that ended and have events in this recording.
    private var logs: [ObjectIdentifier: EventLog] = [:]

    // MARK: Start and stop

    func start(capacity: Int, textBytes: Int?) throws {
        let capacity = min(max(1, capacity), Self.mostEvents)
        let textBytes = max(
            0, textBytes ?? max(Self.leastTextBytes, capacity * Self.textBytesAnEvent))
        try lock.withLock {
            guard session == nil else { throw EventRecorderError.alreadyRecording }
            recording += 1
            session = Session(recording, capacity: capacity, textBytes: textBytes)
            cevents_set_recording(recording)
        }
    }

    func stop() -> Recording {
        let stopped = lock.withLock { () -> (Session, [Part])? in
            guard let session = session.take() else { return nil }
            cevents_set_recording(0)
            TextTable.shared.end()
            return (session, takeParts())
        }
        guard let (session, parts) = stopped else { return Recording() }
        let recording = recording(of: session, parts)
        for watcher in session.watchers.values { watcher() }
        return recording
    }

    private typealias Part = (log: EventLog, events: [Event])

    private func takeParts() -> [Part] {
        let parts = logs.values.map { ($0, $0.takeEvents(of: recording)) }
        logs = logs.filter { $0.value.lastName == nil }
        return parts
    }

    private func recording(of session: Session, _ parts: [Part]) -> Recording {
        var recording = Recording(
            exchanges: session.exchanges.records(since: session.start, session.startDate),
            dropped: session.droppedEvents + session.exchanges.droppedCount,
            startTime: session.start, startDate: session.startDate,
            process: ProcessInfo.processInfo.processName, processNumber: UInt32(getpid()))
        for (log, events) in parts {
            // What was told later may have happened before the start.
            let events = events.filter { $0.time >= session.start }
            guard !events.isEmpty else { continue }
            recording.events += events
            recording.threads[log.thread] = ThreadName.shown(name(of: log), of: log.thread)
        }
        recording.events.sort { $0.time < $1.time }
        recording.textsLeftOut = session.texts.leftOutCount + session.exchanges.leftOutCount
        recording.texts.all = [session.texts]
        return recording
    }

    /// A thread leaves its name in its log before the kernel forgets it. Its number may be another's then.
    private func name(of log: EventLog) -> String? {
        let last = { self.lock.withLock { log.lastName } }
        return last() ?? ThreadName.ofKernel(log.thread) ?? last()
    }

    // MARK: While it is made

    /// - Returns: nil where nothing is recorded.
    func withSession<Result>(_ body: (Session) -> Result) -> Result? {
        lock.withLock { session.map(body) }
    }

    /// Keeps an event for which its thread has no place yet; drops it where there is no room.
    func keep(_ event: Event, of recording: UInt32, in log: EventLog) {
        withSession { session in
            guard recording == self.recording else { return }
            let places = min(session.share, session.room)
            guard places > 0 else { return session.droppedEvents += 1 }
            session.room -= places
            log.addPiece(places, of: recording)
            _ = log.keep(event, of: recording)
        }
    }

    /// A log for a thread that has none.
    func makeLog() -> EventLog {
        let log = EventLog()
        lock.withLock { logs[ObjectIdentifier(log)] = log }
        return log
    }

    /// The log's thread is about to end.
    func threadEnds(_ log: EventLog) {
        let name = ThreadName.ofKernel(log.thread)
        lock.withLock {
            log.lastName = name ?? ""
            if session == nil || !log.hasEvents(of: recording) { logs[ObjectIdentifier(log)] = nil }
        }
    }
}
