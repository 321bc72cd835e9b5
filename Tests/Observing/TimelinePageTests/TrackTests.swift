import EventRecorder
import Foundation
import Testing

@testable import TimelinePage

@Suite("Tracks of a recording", .timeLimit(.minutes(1)))
struct TrackTests {
    private func tracks(_ tape: Tape, from origin: UInt64? = Tape.origin) -> [TimelineTrack] {
        Timeline.tracks(of: tape.recording, from: origin)
    }

    private func track(_ id: String, _ tape: Tape) throws -> TimelineTrack {
        try #require(tracks(tape).first { $0.id == id }, "no track \(id)")
    }

    // MARK: Which tracks

    @Test
    func `the connection era's tracks go from the caller down to the wire`() {
        #expect(
            tracks(.connection(10)).map(\.name) == [
                "main", "operations", "network thread", "processing queue", "other threads",
                "sockets", "server",
            ])
    }

    @Test
    func `the session era has a delegate queue, whichever threads it runs on`() throws {
        #expect(tracks(.session(10)).map(\.name) == ["main", "tasks", "delegate queue", "server"])
        let queue = try track("queue-delegate", .session(10))
        #expect(queue.spans.count == 10)
        #expect(queue.detail == "On 2 threads.")
    }

    @Test
    func `with nine queues there are still seven tracks, and one names those that were merged`()
        throws
    {
        var tape = Tape.connection(3)
        for queue in 1...9 {
            for run in 0..<queue {
                tape.span(
                    Double(run), Double(run) + 0.5, .queueRun, on: Tape.worker,
                    subject: UInt64(9_000 + queue * 10 + run), "org.example.q\(queue)")
            }
        }
        let tracks = tracks(tape)
        #expect(tracks.count == Timeline.trackLimit)
        let others = try #require(tracks.first { $0.id == "threads-other" })
        #expect(others.detail.contains("q1 queue, q2 queue"))
        #expect(!tracks.contains { $0.name == "q1 queue" })
        #expect(tracks.contains { $0.name == "main" })
    }

    @Test
    func `a queue's blocks are in its track, though its threads carry another thread's name`()
        throws
    {
        var tape = Tape.connection(2)
        tape.threads[Tape.worker] = "AFNetworking"
        let network = try track("thread-AFNetworking", tape)
        #expect(!network.spans.contains { $0.kind == .serialization })
        #expect(
            try track("queue-" + Tape.processing, tape).spans.contains { $0.kind == .serialization }
        )
        #expect(!network.spans.contains { $0.kind == .lockHeld })
    }

    @Test
    func `a recording without events has no tracks`() {
        #expect(tracks(Tape()).isEmpty)
    }

    // MARK: What is in them

    @Test
    func `an operation's bar knows how long it waited, and carries its exchange`() throws {
        let track = try track("operations", .connection(4))
        let bars = track.spans.filter { $0.kind == .operation }
        #expect(bars.map(\.name) == (1...4).map { "GET /items/\($0)" })
        #expect(bars.map(\.subject) == (1...4).map { "operation \($0)" })
        #expect(bars[3].start == 6)
        #expect(bars[3].waited == 6 - 0.03)
        #expect(track.detail.contains("All at http://127.0.0.1:8080."))
        let exchanges = track.spans.filter { $0.kind == .transfer }
        #expect(exchanges.map(\.subject) == bars.map(\.subject))
        #expect(exchanges.map(\.row) == bars.map(\.row))
    }

    @Test
    func `no two bars of a track overlap on one row, waits included`() throws {
        for id in ["operations", "sockets", "server"] {
            let track = try track(id, .connection(30))
            let bars = track.spans.filter {
                [.operation, .socket, .serverConnection].contains($0.kind)
            }
            for (index, bar) in bars.enumerated() {
                for other in bars[..<index] where other.row == bar.row {
                    #expect(
                        other.end <= bar.start - bar.waited || bar.end <= other.start - other.waited
                    )
                }
            }
        }
    }

    @Test
    func `a redirect's second exchange, which is no operation's request, has a row of its own`()
        throws
    {
        var tape = Tape.connection(1)
        tape.span(
            4, 5, .transfer, on: Tape.network, subject: 77, ends: 404, "GET http://b.example:1/x")
        let track = try track("operations", tape)
        let stray = try #require(track.spans.first { $0.name == "GET http://b.example:1/x" })
        #expect(stray.row == 1)
        #expect(stray.detail == "status 404")
        // Two origins: neither may be left out.
        #expect(track.spans[0].name == "GET http://127.0.0.1:8080/items/1")
    }

    @Test
    func `a pause is on its operation's bar, from its change of state to the next`() throws {
        var tape = Tape.connection(1)
        tape.put(2, .operationState, subject: 100, "executing → paused")
        tape.put(3, .operationState, subject: 100, "paused → ready")
        let pause = try #require(
            try track("operations", tape).spans.first { $0.kind == .paused })
        #expect(pause.start == 2 && pause.end == 3)
        #expect(pause.subject == "operation 1")
    }

    @Test
    func `what was enqueued and never started waits to the end`() throws {
        var tape = Tape.connection(1)
        tape.put(1, .enqueued, subject: 300, "GET http://127.0.0.1:8080/last")
        let waiting = try #require(
            try track("operations", tape).spans.first { $0.kind == .waiting })
        #expect(waiting.isUnfinished)
        #expect(waiting.end == 5.9)
    }

    @Test
    func `what has no end is drawn to the end of the recording, and says so`() throws {
        let socket = try #require(
            try track("sockets", .connection(1)).spans.first { $0.kind == .socket })
        #expect(socket.isUnfinished)
        #expect(socket.end == 5.9)
    }

    @Test
    func `calls are nested as they were made; depth of the lock is the recorded one`() throws {
        let main = try track("thread-main", .connection(1))
        #expect(main.spans.map(\.kind) == [.block, .callback])
        #expect(main.spans.map(\.depth) == [0, 1])
        let locks = try track("threads-other", .connection(1)).spans.filter { $0.kind == .lockHeld }
        #expect(locks.map(\.depth) == [1, 2])
    }

    @Test
    func `a callback is a dot, and one with an error is another`() throws {
        var tape = Tape.connection(1)
        tape.span(6, 6.1, .callback, subject: 100, "failure")
        #expect(
            try track("thread-main", tape).dots.map(\.kind) == [.enqueued, .callback, .failure])
    }

    @Test
    func `all that was done for an operation carries its name`() throws {
        let tracks = tracks(.connection(3))
        let names = ["main", "network thread", "processing queue"]
        for track in tracks where names.contains(track.name) {
            let subjects = Set(track.spans.map(\.subject) + track.dots.map(\.subject))
            #expect(subjects.subtracting([""]) == ["operation 1", "operation 2", "operation 3"])
        }
    }

    @Test
    func `a sleep says what woke the thread; a mode is reported once`() throws {
        var tape = Tape.connection(1)
        for turn in 0..<5 { tape.put(Double(turn), .runLoopMode, on: Tape.network, "default") }
        let track = try track("thread-AFNetworking", tape)
        #expect(track.detail == "Named AFNetworking.")
        #expect(track.spans.first { $0.kind == .asleep }?.detail == "woken by jobs")
        #expect(track.dots.filter { $0.kind == .mode }.count == 1)
    }

    @Test
    func
        `a request's bar has an exchange for each attempt, a dot where it is tried again, one name`()
        throws
    {
        let track = try track("operations", .retried())
        #expect(track.name == "requests")
        #expect(track.detail.contains("queue of handlers is resumed"))
        let bars = track.spans.filter { $0.kind == .request }
        #expect(bars.map(\.name) == ["GET /items/1"])
        #expect(bars[0].start == 0.1 && bars[0].end == 9)
        #expect(!track.spans.contains { $0.kind == .task })
        let exchanges = track.spans.filter { $0.kind == .transfer }
        #expect(exchanges.map(\.detail) == ["status 401", "status 200"])
        #expect(exchanges.allSatisfy { $0.row == bars[0].row && $0.subject == "request 1" })
        #expect(track.dots.map(\.name) == ["retry"])
        for other in tracks(.retried()) where other.id != "operations" {
            let subjects = Set(other.spans.map(\.subject) + other.dots.map(\.subject))
            #expect(subjects.subtracting([""]) == ["request 1"], "\(other.name)")
        }
    }

    @Test
    func `tasks on our transport carry their exchanges, and those on Foundation's say why not`()
        throws
    {
        var tape = Tape.session(2)
        #expect(try track("operations", tape).detail.contains("cannot be observed"))
        tape.span(
            2, 3, .transfer, on: Tape.network, subject: 100, ends: 200,
            "GET http://127.0.0.1:8080/items/1")
        let track = try track("operations", tape)
        #expect(track.detail.contains("its core the exchange on the wire"))
        let exchange = try #require(track.spans.first { $0.kind == .transfer })
        #expect(exchange.subject == "task 1" && exchange.name == "")
        #expect(exchange.row == track.spans.first { $0.kind == .task }?.row)
    }

    @Test
    func `the queue of a request's session is the delegate queue too`() {
        #expect(ThreadTracks.queueName("org.alamofire.session-manager").name == "delegate queue")
        #expect(
            ThreadTracks.queueName("com.alamofire.networking.session.delegate").name
                == "delegate queue")
    }

    // MARK: Axis

    @Test
    func `the axis begins at the given time, and nothing is before it`() throws {
        let early = tracks(.connection(1), from: Tape.origin + 2_000_000)
        let bar = try #require(early.first { $0.id == "operations" }?.spans.first)
        #expect(bar.start == 0)
        #expect(abs(bar.end - 3.1) < 1e-9)
        #expect(tracks(.connection(1), from: nil)[0].dots[0].time == 0)
    }

    @Test
    func `all eras of a scenario share one axis, to the last thing that happened in any`() {
        var scenario = TimelineDocument.sample([10]).scenarios[0]
        #expect(scenario.duration == max(scenario.eras[0].tracks[0].end, 22))
        scenario.eras[1].facts.wallMilliseconds = 99
        #expect(scenario.duration == 99)
        scenario.eras = []
        #expect(scenario.duration > 0)
    }

    @Test
    func `the peak of the lock's depth comes from the recording unless it is given`() {
        let recording = Tape.connection(1).recording
        #expect(
            TimelineEra("connection", heading: "", recording: recording).facts.peakLockDepth == 2)
        let facts = TimelineFacts(peakLockDepth: 7)
        #expect(
            TimelineEra("connection", heading: "", recording: recording, facts: facts).facts
                .peakLockDepth == 7)
    }

    @Test
    func `a reading of a thread's processor time is a bar on that thread's track`() throws {
        var tape = Tape()
        tape.threads[7] = "spinner"
        tape.put(0, .callback, .begin, on: 7, "block")
        tape.put(1, .callback, .end, on: 7, "block")
        tape.put(20, .note, subject: 7, value: 18_000_000, ThreadClock.note)
        tape.put(40, .note, subject: 7, value: 0, ThreadClock.note)
        let era = TimelineEra(
            "correct", heading: "", recording: tape.recording, detail: .eachThread)
        let bars = try #require(era.tracks.first { $0.name == "spinner" }).spans
            .filter { $0.kind == .computing }
        #expect(bars.map(\.start) == [2] && bars.map(\.end) == [20])
        #expect(era.tracks.allSatisfy { $0.dots.allSatisfy { $0.kind != .note } })
    }

    @Test
    func `two threads of the same name that wait for each other are no circle of one`() {
        var tape = Tape()
        (tape.threads[7], tape.threads[8]) = ("twin", "twin")
        tape.put(0, .lockHold, .begin, on: 7, subject: 5, value: 1, "lock")
        tape.put(1, .lockWait, .begin, on: 8, subject: 5, "lock")
        tape.put(90, .lockWait, .end, on: 8, subject: 5, "lock")
        let era = TimelineEra(
            "correct", heading: "", recording: tape.recording, detail: .eachThread)
        #expect(era.waits == [TimelineWait(members: ["twin", "lock", "twin"], isCircle: false)])
    }

    // MARK: Impossible recordings and documents

    @Test
    func `a recording with events out of order and numbers used twice is drawn`() {
        var tape = Tape.connection(2)
        tape.put(20, .note, subject: .max, value: 5, ThreadClock.note)
        tape.put(21, .bytesReceived, subject: 8, value: .max)
        tape.put(21, .bytesReceived, subject: 8, value: .max)
        // The numbers of a request, its task and its transfer, and of an operation and its block.
        tape.put(30, .request, .begin, subject: 40, "GET /")
        tape.put(30, .sessionTask, .begin, subject: 41, "GET /")
        tape.put(30, .transfer, .begin, subject: 40, "GET /")
        tape.put(31, .operation, .begin, subject: 42, "GET /")
        tape.put(31, .queueRun, .begin, subject: 42, "q")
        tape.put(31, .callback, .begin, subject: 42, "success")
        var recording = tape.recording
        for (time, phase) in [(60, Event.Phase.begin), (50, .end)] {
            recording.events.append(
                Event(
                    time: Tape.origin + UInt64(time) * 1_000_000, subject: 9, thread: Tape.main,
                    kind: .lockWait, phase: phase))
        }
        for detail in [TimelineDetail.summary, .eachThread] {
            let era = TimelineEra("x", heading: "", recording: recording, detail: detail)
            let spans = era.tracks.flatMap(\.spans)
            #expect(spans.allSatisfy { $0.start <= $0.end })
            #expect(spans.contains { $0.kind == .lockWait && $0.start == $0.end })
            #expect(page(era).contains("</html>"))
        }
    }

    @Test
    func `a document with times that are no numbers is drawn`() {
        let spans = [
            TimelineSpan(start: .nan, end: 1, name: "", kind: .block),
            TimelineSpan(start: -1e300, end: .infinity, name: "", kind: .block),
        ]
        let track = TimelineTrack(id: "main", name: "main", kind: .thread, spans: spans)
        let era = TimelineEra(
            "x", heading: "", facts: TimelineFacts(wallMilliseconds: .infinity), tracks: [track])
        #expect(page(era).contains("</html>"))
    }

    private func page(_ era: TimelineEra) -> String {
        TimelinePage.html(
            of: TimelineDocument(
                title: "", date: Date(timeIntervalSince1970: 0),
                scenarios: [TimelineScenario(id: "x", title: "", eras: [era])]))
    }
}
