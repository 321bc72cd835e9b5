import EventRecorder
import OperationNetworking
import SessionEra
import TestSupport

@Suite("Recorded events of the session era", .serialized, .timeLimit(.minutes(1)))
struct RecordedEventsTests {
    @Test
    func `a task is a span with its states, delegate calls, serialization and callback inside`()
        async throws
    {
        let world = TestWorld.sessions()
        try EventRecorder.start()
        let outcome = await world.data("/text?value=recorded")
        // The spans that the outcome was told in have ended after these.
        await withCheckedContinuation { continuation in
            NetworkThread.shared.perform(inModes: [.common]) { continuation.resume() }
        }
        await withCheckedContinuation { continuation in
            world.manager.operationQueue.addOperation { continuation.resume() }
        }
        await MainQueue.settle()
        let recording = EventRecorder.stop()
        #expect(outcome.text == "recorded")
        let first = try #require(
            recording.events.first {
                $0.kind == .sessionTask
                    && recording.text(of: $0).hasSuffix("/text?value=recorded")
            })
        let own = recording.events.filter { $0.subject == first.subject }
        func count(_ kind: Event.Kind, _ phase: Event.Phase) -> Int {
            own.count { $0.kind == kind && $0.phase == phase }
        }
        #expect(count(.sessionTask, .begin) == 1)
        #expect(count(.sessionTask, .end) == 1)
        #expect(count(.sessionTaskState, .instant) == 1)
        #expect(count(.serialization, .begin) == 1)
        #expect(count(.callback, .begin) == 1)
        for kind in [Event.Kind.delegateCall, .callback, .serialization] {
            #expect(count(kind, .begin) == count(kind, .end), "\(kind)")
        }
        #expect(count(.delegateCall, .begin) >= 3)
        #expect(recording.events.contains { $0.kind == .queueRun })
    }
}
