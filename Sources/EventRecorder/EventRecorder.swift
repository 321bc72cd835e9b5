public import CEvents
import Foundation
import Synchronization

/// The one recorder of this process: what happened, when, on which thread.
///
/// Off it costs one relaxed load and one branch, and no argument's text is made. On, an event costs
/// a look at a counter and 16 bytes in a log that its thread alone writes; a lock only for each
/// 1,024th, and new memory only behind the first half million. A span on one thread
/// (``Event/Kind/isOnOneThread``) is one event, if it is short.
///
/// - Events beyond the capacity are counted and dropped; none is ever overwritten.
/// - Texts beyond their room are counted and left out: "(text left out)" stands in their place
///   (``Recording/textsLeftOut``). They go with the recording, or its last copy.
/// - A span that began before `start` or ends after `stop` is cut: ``Recording/pairs()``. One on one
///   thread that began before is not seen at all.
///
/// ## Concurrency
/// Call from: any thread, also under a lock. Lock: none for most events; `start`, `stop` and a
/// caller's `exchange` have one, and so has the making of a text (``EventText``). Calls out: never, but for
/// the arguments.
public enum EventRecorder {
    private static let numbers = Atomic<UInt64>(0)

    /// Whether events are kept now.
    @inlinable public static var isRecording: Bool { cevents_get_recording() != 0 }

    /// The recording that is made now, from 1; 0 where none is.
    @inlinable package static var recording: UInt32 { cevents_get_recording() }

    /// Begins to record; takes the memory of the first events now, up to 8 MiB.
    ///
    /// - Parameter capacity: the most events to be kept, from 1 to 33,554,432; what lies outside is
    ///   moved to the nearer end. Each takes 16 bytes when it comes, one with large numbers (a value
    ///   above 4,294,967,295, say) 48, an exchange 80 and the room of five. A thread takes room for a
    ///   1,024th of them at a time, so with several threads some may stay empty.
    /// - Parameter textBytes: the most bytes that the texts of events may take, each with 128 besides
    ///   its own, and again those of exchanges; by itself 16 for each event of the capacity, and not
    ///   below 262,144. 16 MiB are some 90,000 addresses.
    /// - Throws: ``EventRecorderError/alreadyRecording``.
    public static func start(capacity: Int = 1 << 20, textBytes: Int? = nil) throws {
        try RecorderControl.shared.start(capacity: capacity, textBytes: textBytes)
    }

    /// Ends the recording and gives its events in the order of their time: all those that happened
    /// before, by any order between threads.
    ///
    /// - Returns: the recording; an empty one if none was made.
    public static func stop() -> Recording {
        RecorderControl.shared.stop()
    }

    /// A number for a subject, from 1; never twice in a process.
    public static func nextNumber() -> UInt64 {
        numbers.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Records a moment.
    @inlinable public static func instant(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0,
        text: @autoclosure () -> EventText = .none
    ) {
        guard isRecording else { return }
        noteNow(kind, .instant, subject, value, text())
    }

    /// Records the beginning of a span.
    @inlinable public static func begin(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0,
        text: @autoclosure () -> EventText = .none
    ) {
        guard isRecording else { return }
        noteNow(kind, .begin, subject, value, text())
    }

    /// Records the end of a span.
    @inlinable public static func end(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0,
        text: @autoclosure () -> EventText = .none
    ) {
        guard isRecording else { return }
        noteNow(kind, .end, subject, value, text())
    }

    /// Records one exchange for ``Recording/har()``. Exchanges beyond the capacity, or beyond the bytes
    /// for the texts of exchanges, are counted as dropped.
    ///
    /// - Parameter record: made, and so redacted, by `stop`; what it needs is kept until then.
    public static func exchange(_ record: @autoclosure @escaping @Sendable () -> ExchangeRecord) {
        exchange(size: 0, record)
    }

    /// The same, which counts what the record needs until then as texts of exchanges.
    ///
    /// - Parameter size: its bytes.
    package static func exchange(
        size: Int, _ record: @escaping @Sendable () -> ExchangeRecord
    ) {
        guard isRecording else { return }
        RecorderControl.shared.add(size, record)
    }

    /// Calls a block when this recording has stopped, on the thread that stops it.
    ///
    /// - Parameter number: the watcher's own, of `nextNumber()`; it has one block.
    package static func whenStopped(_ number: UInt64, _ block: @escaping @Sendable () -> Void) {
        RecorderControl.shared.watch(number, block)
    }

    /// Takes a watcher away.
    package static func unwatch(_ number: UInt64) { RecorderControl.shared.unwatch(number) }

    /// Keeps the texts of exchanges until the recording stops; they are copied.
    ///
    /// - Parameter read: reads them, in the order in which they were written.
    /// - Returns: their number in this ``recording``, also of texts that are left out because their
    ///   bytes have no room; 0 where nothing is recorded any more, or there are as many as events may be.
    package static func keepTexts(
        _ texts: borrowing FlatBytes,
        _ read: @escaping @Sendable (inout FlatBytesReader) -> ExchangeHeads
    ) -> UInt32 {
        RecorderControl.shared.keep(texts.bytes, read)
    }

    /// Records an exchange, and if it went out, its end, as now. One without texts is dropped.
    ///
    /// - Parameters:
    ///   - transfer: the subject.
    ///   - name: method and address.
    ///   - connecting: if it made its connection.
    ///   - recording: the one that its texts are kept in.
    package static func exchange(
        _ transfer: UInt64, status: Int, name: EventText, _ numbers: ExchangeNumbers,
        _ connecting: ConnectingTimes? = nil, of recording: UInt32
    ) {
        guard isRecording else { return }
        if connecting == nil,
            repeatedExchange(
                transfer, status: Int64(status), name: name, numbers, of: recording)
        {
            return
        }
        guard numbers.texts > 0 else { return RecorderControl.shared.dropExchange() }
        let end = Event(
            time: Ticks.now, subject: transfer, value: Int64(status), text: name, kind: .transfer,
            phase: .end)
        EventLog.current.pointee.owner.append(
            StoredExchange(end, numbers, connecting), of: recording)
    }
}

/// Why nothing is recorded.
public enum EventRecorderError: Error, Sendable, Equatable {
    /// Somebody records already; a process has one recorder.
    case alreadyRecording
}
