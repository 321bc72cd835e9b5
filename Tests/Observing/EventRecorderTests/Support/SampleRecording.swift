import EventRecorder
import Foundation

/// Recordings made by hand.
enum Sample {
    static let start: UInt64 = 5_000_000_000
    static let main: UInt32 = 100
    static let network: UInt32 = 101

    /// An event at so many nanoseconds from the start.
    static func event(
        _ time: UInt64, _ kind: Event.Kind, _ phase: Event.Phase = .instant, subject: UInt64 = 0,
        value: Int64 = 0, text: String = "", thread: UInt32 = main
    ) -> Event {
        Event(
            time: start + time, subject: subject, value: value, text: EventText(text),
            thread: thread, kind: kind, phase: phase)
    }

    static func recording(
        _ events: [Event], exchanges: [ExchangeRecord] = [], dropped: Int = 0
    ) -> Recording {
        Recording(
            events: events, threads: [main: "main", network: "AFNetworking"], exchanges: exchanges,
            dropped: dropped, startTime: start,
            startDate: Date(timeIntervalSince1970: 1_447_234_200.25), process: "eras",
            processNumber: 100)
    }

    /// One request as the connection era does it.
    static let request = recording([
        event(0, .operation, .begin, subject: 1, text: "GET http://a/x"),
        event(10, .enqueued, subject: 1),
        event(20, .operationState, subject: 1, value: 258, text: "ready → executing"),
        event(30, .lockWait, .begin, subject: 1),
        event(40, .lockWait, .end, subject: 1),
        event(41, .lockHold, .begin, subject: 1, value: 1),
        event(42, .lockHold, .begin, subject: 1, value: 2),
        event(43, .lockHold, .end, subject: 1, value: 2),
        event(44, .lockHold, .end, subject: 1, value: 1),
        event(50, .runLoopSource, text: "jobs", thread: network),
        event(60, .transfer, .begin, subject: 2, text: "GET http://a/x", thread: network),
        event(70, .socket, .begin, subject: 3, value: 9, text: "a:80", thread: network),
        event(71, .connecting, .begin, subject: 3, thread: network),
        event(90, .connecting, .end, subject: 3, thread: network),
        event(100, .bytesSent, subject: 2, value: 20, thread: network),
        event(110, .runLoopSleep, .begin, thread: network),
        event(900, .runLoopSleep, .end, thread: network),
        event(910, .delegateCall, .begin, subject: 2, text: "didReceive", thread: network),
        event(911, .responseHead, subject: 2, value: 200, thread: network),
        event(912, .bytesReceived, subject: 2, value: 512, thread: network),
        event(920, .delegateCall, .end, subject: 2, text: "didReceive", thread: network),
        event(930, .transfer, .end, subject: 2, value: 200, thread: network),
        event(940, .queueSubmit, subject: 4, text: "main", thread: network),
        event(950, .socket, .end, subject: 3, thread: network),
        event(960, .queueRun, .begin, subject: 4, text: "main"),
        event(961, .callback, .begin, subject: 1, text: "success"),
        event(970, .callback, .end, subject: 1, text: "success"),
        event(980, .queueRun, .end, subject: 4, text: "main"),
        event(990, .operation, .end, subject: 1),
        event(995, .note, text: "quotes \" and \\, line\nend, tab\t, \u{1} and 😀 and \u{2028}"),
    ])
}
