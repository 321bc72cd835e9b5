import EraLessons
import EventRecorder
import TestSupport

@testable import Lessons

@Suite("The recorded traces of exercise 18", .timeLimit(.minutes(2)))
struct TraceTests {
    private static let isUpdate = ProcessInfo.processInfo.environment["UPDATE_DOCUMENTATION"] == "1"
    private static let folder = LessonText.root.appendingPathComponent("Exercises/18-traces/Traces")

    @Test(arguments: 1...5)
    func `a trace shows its fault, and no other`(_ number: Int) async throws {
        let fault = TraceFault.recorded[number - 1]
        let file = Self.folder.appendingPathComponent("\(number).jsonl")
        if Self.isUpdate {
            let recording = try await onNewThread {
                Result { try FaultyProgram.recording(of: fault) }
            }
            .get()
            // Its first note says what the fault is.
            var shown = recording
            shown.events.removeAll { $0.kind == .note }
            try FileManager.default.createDirectory(
                at: Self.folder, withIntermediateDirectories: true)
            try shown.jsonLines().write(to: file)
        }
        let data = try Data(contentsOf: file)
        #expect(!String(decoding: data, as: UTF8.self).contains(fault.rawValue))
        let facts = TraceFacts(try Recording(jsonLines: data))
        #expect((facts.networkThreadAwake > 150) == (fault == .networkThreadIsKept))
        #expect((facts.waitForMain > 150) == (fault == .mainIsKept))
        #expect((facts.atOnce == 1) == (fault == .oneAtATime))
        #expect((facts.neverStarted == 1) == (fault == .neverStarted))
        #expect((facts.sockets >= facts.exchanges) == (fault == .newConnections))
    }

    @Test
    func `each fault is in one trace`() {
        #expect(Set(TraceFault.recorded) == Set(TraceFault.allCases))
        #expect(TraceFault.recorded.count == 5)
    }
}
