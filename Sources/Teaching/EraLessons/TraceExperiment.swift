import CurlConnection
package import EventRecorder
import Foundation
import FoundationNetworking
package import Lessons
import LoopbackServer
import OperationNetworking

/// Lesson 18: five programs with a fault each, and what their recordings show.
enum TraceExperiment {
    /// Which times are long: more than 150 ms, and more than half of the longest one, which grows with
    /// the load of the machine.
    private static func isLong(_ times: [Double]) -> [Bool] {
        let limit = max(150, (times.max() ?? 0) / 2)
        return times.map { $0 > limit }
    }

    static func run() throws -> ExperimentResult {
        // Each program is recorded by itself, so a recording of the whole experiment is stopped.
        if EventRecorder.isRecording { _ = EventRecorder.stop() }
        let recordings = try TraceFault.allCases.map(FaultyProgram.recording)
        let facts = recordings.map { TraceFacts($0) }
        // A fault shows in each run. A delay by a busy machine is unlikely to repeat.
        let again = try TraceFault.allCases.map { TraceFacts(try FaultyProgram.recording(of: $0)) }
        let awake = zip(facts, again).map { min($0.networkThreadAwake, $1.networkThreadAwake) }
        let waits = zip(facts, again).map { min($0.waitForMain, $1.waitForMain) }
        let isAwakeForLong = isLong(awake)
        var result = ExperimentResult(
            variants: TraceFault.allCases.map(\.rawValue),
            facts: [
                .init(
                    Words("the network thread is awake for long", "网络线程长时间没有休眠"),
                    isAwakeForLong),
                .init(
                    Words("a block waits long for main", "有 block 长时间等待主线程"),
                    isLong(waits)),
                .init(
                    Words("the most exchanges at one time", "同时进行的交换最多"), facts.map(\.atOnce)),
                .init(
                    Words("operations that never started", "始终没有开始的操作数"),
                    facts.map(\.neverStarted)),
                .init(
                    Words("every exchange has a socket of its own", "每次交换都用新的 socket"),
                    facts.map { $0.sockets >= $0.exchanges }),
                .init(
                    Words("network thread awake at most, ms", "网络线程最长连续清醒毫秒数"),
                    awake.map { Int($0) }, varies: true),
                .init(
                    Words("a block waited for main at most, ms", "block 等待主线程的最长毫秒数"),
                    waits.map { Int($0) }, varies: true),
            ],
            answer: isAwakeForLong[1] ? 1 : facts[1].atOnce == 1 ? 2 : 3)
        result.recording = recordings.reduce(Recording()) { $0.merging($1) }
        return result
    }
}

/// Lesson 18: a program with a fault, which makes six requests, two at a time, and its recording.
package enum FaultyProgram {
    /// For how many seconds the fault blocks a thread.
    private static let long = 0.3
    private static let (requests, limit) = (6, 2)

    /// Runs and records the program. Nothing else may be recorded meanwhile.
    ///
    /// - Throws: `LoopbackServerError`, `EventRecorderError`.
    package static func recording(of fault: TraceFault) throws -> Recording {
        let server = LoopbackServer(routes: Routes())
        server.add("/get", isPrefix: true) { _ in
            let isLast = fault == .newConnections
            let answer = ScriptedResponse.text(
                "got", headers: isLast ? [("Connection", "close")] : []
            )
            .after(.sleep(seconds: 0.03)).after(.wait(gate: "together"))
            return isLast ? ScriptedResponse(answer.steps + [.close]) : answer
        }
        server.add("/moved") { _ in .redirect(to: "/get") }
        try server.start()
        defer { server.stop() }
        try EventRecorder.start()
        Picture.begin(fault.rawValue)
        let operations = run(fault, on: server)
        let recording = EventRecorder.stop()
        // After the recording has ended: cancelled, the operation that waits for ever starts.
        operations.forEach { $0.cancel() }
        return recording
    }

    private static func run(_ fault: TraceFault, on server: LoopbackServer) -> [Operation] {
        let manager = connectionManager(server)
        // Each request makes an exchange, none is answered by the cache.
        manager.configuration.responseCache = nil
        manager.maxConcurrentOperationCount = fault == .oneAtATime ? 1 : limit
        if fault == .mainIsKept { manager.completionQueue = .main }
        let ends = (1...requests).map { _ in Moment() }
        let operations = ends.enumerated().map { index, end in
            let path = fault == .networkThreadIsKept && index == 0 ? "/moved" : "/get/\(index + 1)"
            let request = URLRequest(url: server.url(path))
            return manager.httpRequestOperation(with: request) { _, _ in
                end.signal()
            } failure: { _, _ in
                end.signal()
            }
        }
        switch fault {
        case .networkThreadIsKept:
            operations[0].setRedirectResponseBlock { _, request, response in
                if response != nil { _ = Moment().wait(within: long) }
                return request
            }
        case .mainIsKept:
            DispatchQueue.main.async {
                // A third request is sent when one has ended. So when the last is sent, the first
                // one's block has been waiting while two other requests were loaded.
                _ = server.receives(requests)
                _ = Moment().wait(within: long)
            }
        case .neverStarted:
            // The fault: the operation it depends on was not added to a queue.
            operations[5].addDependency(
                manager.httpRequestOperation(
                    with: URLRequest(url: server.url("/get/0")), success: nil, failure: nil))
        case .oneAtATime, .newConnections: break
        }
        operations.forEach { manager.enqueue($0) }
        // Where two may run, two run; the redirected one makes two requests.
        let first = fault == .oneAtATime ? 1 : fault == .networkThreadIsKept ? 3 : 2
        _ = server.receives(first)
        server.release("together")
        for end in ends.prefix(fault == .neverStarted ? 5 : 6) { _ = end.wait() }
        return operations
    }
}

/// What a recording of such a program shows.
package struct TraceFacts {
    /// The longest time for which the network thread did not sleep, in milliseconds.
    package private(set) var networkThreadAwake = 0.0
    /// The longest time that a block waited for the main thread, in milliseconds.
    package private(set) var waitForMain = 0.0
    /// The most exchanges at one time.
    package private(set) var atOnce = 0
    /// How many operations of the queue did not start.
    package private(set) var neverStarted = 0
    /// How many exchanges there were.
    package private(set) var exchanges = 0
    /// How many sockets they used.
    package private(set) var sockets = 0

    /// When network threads awoke, by thread, and when blocks were dispatched to the main thread.
    private var (awake, submitted) = ([UInt32: UInt64](), [UInt64: UInt64]())
    private var asleep: Set<UInt32> = []
    private var (open, enqueued, started) = (0, Set<UInt64>(), Set<UInt64>())

    package init(_ recording: Recording) {
        for event in recording.events {
            // A thread may have been awake since before the recording.
            let isNew = awake[event.thread] == nil && !asleep.contains(event.thread)
            if isNew, recording.threads[event.thread] == "AFNetworking" {
                awake[event.thread] = event.time
            }
            take(event, recording.text(of: event))
        }
        neverStarted = enqueued.subtracting(started).count
    }

    private mutating func take(_ event: Event, _ text: String) {
        switch (event.kind, event.phase) {
        case (.runLoopSleep, .end):
            asleep.remove(event.thread)
            awake[event.thread] = event.time
        case (.runLoopSleep, .begin):
            asleep.insert(event.thread)
            guard let since = awake.removeValue(forKey: event.thread) else { return }
            networkThreadAwake = max(networkThreadAwake, Self.span(since, event.time))
        case (.queueSubmit, _) where Self.isMain(text): submitted[event.subject] = event.time
        case (.queueRun, .begin):
            guard let since = submitted.removeValue(forKey: event.subject) else { return }
            waitForMain = max(waitForMain, Self.span(since, event.time))
        case (.transfer, .begin):
            (open, exchanges) = (open + 1, exchanges + 1)
            atOnce = max(atOnce, open)
        case (.transfer, .end): open -= 1
        case (.socket, .begin): sockets += 1
        case (.enqueued, _): enqueued.insert(event.subject)
        case (.operation, .begin): started.insert(event.subject)
        default: break
        }
    }

    private static func span(_ start: UInt64, _ end: UInt64) -> Double {
        Double(end - start) / 1_000_000
    }

    private static func isMain(_ label: String) -> Bool {
        ["main", "com.apple.main-thread", "com.apple.main-queue"].contains(label)
    }
}
