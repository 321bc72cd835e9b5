import EventRecorder
import SessionTasks
import TestSupport

@testable import RequestEra

/// Documentation/RequestEra.md shows the way of one request through the queues, made from a recording.
@Suite("The flow of a request", .serialized, .timeLimit(.minutes(1)))
struct RequestFlowTests {
    @Test func `Documentation/RequestEra.md shows the recorded flow of one request`() async throws {
        let place = packageFolder.appendingPathComponent("Documentation/RequestEra.md")
        let page = try String(contentsOf: place, encoding: .utf8)
        let begin = "<!-- flow: written by RequestFlowTests -->\n"
        let end = "<!-- end of flow -->\n"
        let parts = page.components(separatedBy: begin)
        let rest = try #require(parts.last?.components(separatedBy: end))
        #expect(parts.count == 2 && rest.count == 2)
        let fresh = parts[0] + begin + (try await flow()) + end + rest[1]
        if ProcessInfo.processInfo.environment["UPDATE_REQUEST_FLOW"] != nil {
            try fresh.write(to: place, atomically: true, encoding: .utf8)
        }
        #expect(
            fresh == (try String(contentsOf: place, encoding: .utf8)),
            "Run: UPDATE_REQUEST_FLOW=1 swift test --filter RequestFlowTests")
    }

    /// A request that is answered with 503 first, and then as it should be.
    private func flow() async throws -> String {
        let world = TestWorld.requests()
        let count = Locked(0)
        world.server.add("/flow") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let answer = number == 1 ? ScriptedResponse.status(503) : .json("{}")
            return answer.after(.wait(gate: "flow"))
        }
        world.manager.adapter = Adapter { $0 }
        world.manager.retrier = Retrier.upTo(1)
        try EventRecorder.start(capacity: 1 << 16)
        let request = world.get("/flow")
        let queue = DispatchQueue(label: "the handler's queue")
        let ended = Signal()
        request.validate(statusCode: 200..<300)
            .responseJSON(queue: queue) { _ in ended.fire() }
        world.server.release("flow")
        await ended.wait()
        let recording = EventRecorder.stop()
        return Self.table(recording, of: request)
    }

    private static func table(_ recording: Recording, of request: Request) -> String {
        // Where each thread is: queues and delegate calls lie in one another.
        var places: [UInt32: [String]] = [:]
        var rows: [(place: String, what: String)] = []
        let tasks = Set(
            recording.events.filter { $0.kind == .sessionTask }.map(\.subject))
        for event in recording.events {
            let isOurs = event.subject == request.number
            let text = event.text.string
            let place = places[event.thread]?.last ?? "the caller's thread"
            switch (event.kind, event.phase) {
            case (.queueRun, .begin):
                let isUtility = text.hasSuffix(".utility")
                places[event.thread, default: []].append(isUtility ? "a utility queue" : text)
            case (.delegateCall, .begin):
                places[event.thread, default: []].append("the session's delegate queue")
            case (.queueRun, .end), (.delegateCall, .end): _ = places[event.thread]?.popLast()
            case (.request, .begin) where isOurs: rows.append((place, "the request is made"))
            case (.callback, .begin) where isOurs && text != "completion":
                rows.append((place, "calls the \(text)"))
            case (.callback, .begin) where isOurs: rows.append((place, "calls the handler"))
            case (.serialization, .begin) where isOurs: rows.append((place, "serializes"))
            case (.requestState, _) where isOurs: rows.append((place, text))
            case (.sessionTaskState, _) where tasks.contains(event.subject):
                rows.append((place, "the task is \(text)"))
            default: break
            }
        }
        return "\n| where | what |\n|---|---|\n"
            + rows.map { "| \($0.place) | \($0.what) |\n" }.joined() + "\n"
    }
}
