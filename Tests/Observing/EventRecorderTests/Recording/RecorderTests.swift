import EventRecorder
import Foundation
import Testing

/// All that use the one recorder of the process: one after the other.
@Suite("The recorder", .serialized, .timeLimit(.minutes(2)))
struct RecorderTests {
    static let success = EventText("success")

    /// Records what a closure does.
    static func record(
        capacity: Int = 1 << 20, _ work: () throws -> Void
    ) throws -> Recording {
        try EventRecorder.start(capacity: capacity)
        do { try work() } catch {
            _ = EventRecorder.stop()
            throw error
        }
        return EventRecorder.stop()
    }

    @Test
    func `the texts that kinds name stand for those words`() {
        let words = [
            "success", "failure", "progress", "completion", "sockets", "timer", "jobs",
        ]
        let texts: [EventText] = [
            .success, .failure, .progress, .completion, .sockets, .timer, .jobs,
        ]
        #expect(texts.map(\.string) == words)
        #expect(texts == words.map { EventText($0) })
        #expect(EventText("").string == "")
    }

    @Test
    func `off, it keeps nothing and makes no text`() {
        func text() -> EventText {
            Issue.record("The text was made.")
            return .none
        }
        @Sendable func exchange() -> ExchangeRecord {
            Issue.record("The exchange was made.")
            return ExchangeRecord(url: "", method: "", startDate: Date())
        }

        EventRecorder.instant(.note, text: text())
        EventRecorder.begin(.operation, text: text())
        EventRecorder.end(.operation, text: text())
        EventRecorder.exchange(exchange())

        #expect(!EventRecorder.isRecording)
        #expect(EventRecorder.stop() == Recording())
    }

    @Test
    func `records events with time and thread`() throws {
        let before = Date()
        let recording = try Self.record {
            #expect(EventRecorder.isRecording)
            EventRecorder.begin(.lockHold, subject: 3, value: 1)
            EventRecorder.instant(.bytesReceived, subject: 4, value: -5, text: Self.success)
            EventRecorder.end(.lockHold, subject: 3, value: 1)
        }

        let events = recording.events
        #expect(events.map(\.kind) == [.lockHold, .bytesReceived, .lockHold])
        #expect(events.map(\.phase) == [.begin, .instant, .end])
        #expect(events.map(\.subject) == [3, 4, 3])
        #expect(events.map(\.value) == [1, -5, 1])
        #expect(events.map { recording.text(of: $0) } == ["", "success", ""])
        #expect(Set(events.map(\.thread)).count == 1)
        #expect(recording.startTime <= events[0].time)
        #expect(events.map(\.time) == events.map(\.time).sorted())
        #expect(recording.dropped == 0)
        #expect(abs(recording.startDate.timeIntervalSince(before)) < 30)
        #expect(recording.process == ProcessInfo.processInfo.processName)
        #expect(!EventRecorder.isRecording)
    }

    @Test
    func `refuses a second start, and the first recording continues`() throws {
        let recording = try Self.record {
            EventRecorder.instant(.note, value: 1)
            #expect(throws: EventRecorderError.alreadyRecording) { try EventRecorder.start() }
            EventRecorder.instant(.note, value: 2)
        }

        #expect(recording.events.map(\.value) == [1, 2])
    }

    @Test
    func `each successful start has a number of its own; between two there is none`() throws {
        #expect(EventRecorder.recording == 0)
        var first: UInt32 = 0
        _ = try Self.record {
            first = EventRecorder.recording
            #expect(first > 0)
            #expect(throws: EventRecorderError.alreadyRecording) { try EventRecorder.start() }
            #expect(EventRecorder.recording == first)
        }
        #expect(EventRecorder.recording == 0)
        _ = try Self.record { #expect(EventRecorder.recording == first + 1) }
    }

    @Test
    func `a recording has nothing of the one before`() throws {
        _ = try Self.record { EventRecorder.instant(.note, value: 1) }
        let second = try Self.record { EventRecorder.instant(.note, value: 2) }
        #expect(second.events.map(\.value) == [2])
    }

    @Test(arguments: [-1, 0, 1, 3])
    func `counts what comes beyond the capacity`(capacity: Int) throws {
        let kept = max(1, capacity)
        let date = Date()
        let recording = try Self.record(capacity: capacity) {
            for value in 0..<10 {
                EventRecorder.instant(.note, value: Int64(value))
                EventRecorder.exchange(
                    ExchangeRecord(url: "http://a/\(value)", method: "GET", startDate: date))
            }
        }

        #expect(recording.events.map(\.value) == (0..<kept).map(Int64.init))
        #expect(recording.exchanges.map(\.url) == (0..<kept).map { "http://a/\($0)" })
        #expect(recording.dropped == 2 * (10 - kept))
    }

    @Test
    func `threads share the room, and none loses what it has written`() throws {
        let recording = try Self.record(capacity: 2048) {
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for value in 0..<1000 { EventRecorder.instant(.note, value: Int64(value)) }
            }
        }
        let threads = Dictionary(grouping: recording.events, by: \.thread)
        #expect(recording.events.count + recording.dropped == 4000)
        #expect(recording.events.count <= 2048)
        // A thread takes places for eight at a time.
        #expect(recording.events.count > 2048 - 8 * threads.count)
    }

    @Test
    func `numbers of subjects are never 0 and never come twice`() {
        let lock = NSLock()
        nonisolated(unsafe) var all: [UInt64] = []
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let mine = (0..<1000).map { _ in EventRecorder.nextNumber() }
            lock.withLock { all += mine }
        }
        #expect(Set(all).count == 4000)
        #expect(!all.contains(0))
    }
}
