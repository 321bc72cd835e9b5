import EventRecorder
import Foundation

/// A recording made by hand, in milliseconds; its clock begins at one second.
struct Tape {
    static let origin: UInt64 = 1_000_000_000
    static let main: UInt32 = 1
    static let network: UInt32 = 2
    static let worker: UInt32 = 3
    static let otherWorker: UInt32 = 4
    static let server: UInt32 = 5

    var events: [Event] = []
    var threads: [UInt32: String] = [
        main: "main", network: "AFNetworking", worker: "thread 3", otherWorker: "thread 4",
        server: "LoopbackServer",
    ]

    mutating func put(
        _ time: Double, _ kind: Event.Kind, _ phase: Event.Phase = .instant,
        on thread: UInt32 = Tape.main, subject: UInt64 = 0, value: Int64 = 0, _ text: String = ""
    ) {
        events.append(
            Event(
                time: Self.origin + UInt64((time * 1_000_000).rounded()), subject: subject,
                value: value, text: EventText(text), thread: thread, kind: kind, phase: phase))
    }

    mutating func span(
        _ start: Double, _ end: Double, _ kind: Event.Kind, on thread: UInt32 = Tape.main,
        subject: UInt64 = 0, value: Int64 = 0, ends: Int64 = 0, _ text: String = ""
    ) {
        put(start, kind, .begin, on: thread, subject: subject, value: value, text)
        put(end, kind, .end, on: thread, subject: subject, value: ends, text)
    }

    var recording: Recording {
        let ordered = events.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }
        return Recording(
            events: ordered.map(\.element), threads: threads, startTime: Self.origin,
            startDate: Date(timeIntervalSince1970: 1_700_000_000), process: "eras")
    }
}

extension Tape {
    static let processing = "com.alamofire.networking.http-request.processing"
    static let mainQueue = "com.apple.main-thread"

    /// So many operations, at most `limit` at a time, five milliseconds each.
    static func connection(_ count: Int, limit: Int = 3) -> Tape {
        var tape = Tape()
        for index in 0..<count {
            let operation = UInt64(100 + index)
            let transfer = UInt64(1_000 + index)
            let socket = UInt64(500 + index % limit)
            let request = "GET http://127.0.0.1:8080/items/\(index + 1)"
            let start = 1 + Double(index / limit) * 5 + Double(index % limit) * 0.3
            let isNew = index < limit
            tape.put(0.01 * Double(index), .enqueued, subject: operation, request)
            tape.put(start, .operation, .begin, on: worker, subject: operation, request)
            tape.span(start, start + 0.3, .lockHold, on: worker, subject: operation, value: 1)
            tape.span(start + 0.1, start + 0.2, .lockHold, on: worker, subject: operation, value: 2)
            if isNew {
                tape.put(
                    start + 0.3, .socket, .begin, on: network, subject: socket, "127.0.0.1:8080")
                tape.span(start + 0.3, start + 0.6, .connecting, on: network, subject: socket)
                tape.span(start + 0.6, start + 1, .handshake, on: network, subject: socket)
                tape.put(start + 0.6, .serverConnection, .begin, on: server, subject: socket + 100)
            }
            tape.span(
                start + 1, start + 4, .transfer, on: network, subject: transfer, ends: 200, request)
            tape.span(
                start + 1.2, start + 3.5, .serverExchange, on: server, subject: socket + 100,
                ends: 200, "GET /items/\(index + 1)")
            tape.put(start + 3, .responseHead, on: network, subject: transfer, value: 200)
            tape.put(start + 3.2, .bytesReceived, on: network, subject: transfer, value: 700)
            tape.span(
                start + 3.3, start + 3.4, .delegateCall, on: network, subject: operation,
                "didReceiveData")
            tape.put(start + 4.1, .operation, .end, on: network, subject: operation, request)
            tape.put(start + 4.1, .queueSubmit, on: network, subject: transfer + 1_000, processing)
            tape.put(
                start + 4.2, .queueRun, .begin, on: worker, subject: transfer + 1_000, processing)
            tape.span(
                start + 4.3, start + 4.5, .serialization, on: worker, subject: operation,
                "JSONResponseSerializer")
            tape.put(start + 4.6, .queueRun, .end, on: worker, subject: transfer + 1_000)
            tape.put(start + 4.7, .queueRun, .begin, subject: transfer + 2_000, mainQueue)
            tape.span(start + 4.7, start + 4.8, .callback, subject: operation, "success")
            tape.put(start + 4.9, .queueRun, .end, subject: transfer + 2_000)
        }
        tape.span(0.2, 1.2, .runLoopSleep, on: network)
        tape.put(1.21, .runLoopSource, on: network, "jobs")
        return tape
    }

    /// So many tasks of a session, all at once, their delegate calls one after the other.
    static func session(_ count: Int) -> Tape {
        var tape = Tape()
        tape.threads[network] = nil
        for index in 0..<count {
            let task = UInt64(100 + index)
            let request = "GET http://127.0.0.1:8080/items/\(index + 1)"
            let end = 6 + Double(index) * 0.4
            tape.put(0.1 * Double(index), .sessionTask, .begin, subject: task, request)
            tape.span(
                2, end - 1, .serverExchange, on: server, subject: UInt64(700 + index), ends: 200,
                "GET /items/\(index + 1)")
            let thread = index % 2 == 0 ? worker : otherWorker
            tape.span(end - 0.3, end, .delegateCall, on: thread, subject: task, "didComplete")
            tape.put(end, .sessionTask, .end, on: thread, subject: task, request)
            tape.span(end + 0.5, end + 0.7, .callback, subject: task, "success")
        }
        return tape
    }

    /// A request that is tried again: adapter, task, validation, retrier, and once more, then its
    /// handler.
    static func retried() -> Tape {
        var tape = Tape()
        let request: UInt64 = 50
        let text = "GET http://127.0.0.1:8080/items/1"
        tape.put(0.1, .request, .begin, subject: request, text)
        for attempt in 0..<2 {
            let start = 0.2 + Double(attempt) * 5
            let task = UInt64(60 + attempt)
            tape.span(start, start + 0.1, .callback, subject: request, "adapter")
            tape.put(start + 0.2, .sessionTask, .begin, subject: task, text)
            tape.span(
                start + 0.5, start + 3, .transfer, on: network, subject: task,
                ends: attempt == 0 ? 401 : 200, text)
            tape.span(
                start + 3.1, start + 3.5, .delegateCall, on: worker, subject: task, "didComplete")
            tape.span(
                start + 3.2, start + 3.3, .callback, on: worker, subject: request, "validation")
            tape.put(start + 3.5, .sessionTask, .end, on: worker, subject: task, text)
            if attempt == 0 { tape.put(start + 4, .requestState, subject: request, "retry") }
        }
        tape.put(9, .requestState, on: worker, subject: request, "queue opened")
        tape.put(9, .request, .end, on: worker, subject: request, text)
        tape.span(9.2, 9.4, .callback, subject: request, "completion")
        return tape
    }
}
