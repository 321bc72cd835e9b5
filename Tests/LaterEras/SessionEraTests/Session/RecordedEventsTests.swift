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
        let world = TestWorld(.connection)
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

    @Test
    func `a task is an exchange of the archive: what was asked, answered, how much and how long`()
        async throws
    {
        let world = TestWorld(.foundation)
        try EventRecorder.start()
        var request = world.request("/redirect?to=/upload&status=303", "POST")
        request.setValue("Bearer hidden", forHTTPHeaderField: "Authorization")
        request.setValue("kept", forHTTPHeaderField: "X-Kept")
        let body = Data(count: 3000)
        let direct = await world.outcome {
            world.manager.uploadTask(
                with: world.request("/upload?recorded", "PUT"), from: body,
                completionHandler: $0)
        }
        _ = await world.data(request)
        let failed = await world.data(URLRequest(url: world.server.url("/close?recorded")))
        let recording = EventRecorder.stop()
        func record(_ end: String) throws -> ExchangeRecord {
            try #require(
                recording.exchanges.first {
                    $0.url.hasSuffix(end) && $0.url.contains(":\(world.server.port)/")
                })
        }
        let upload = try record("/upload?recorded")
        #expect(upload.method == "PUT")
        #expect(upload.status == 200)
        #expect(upload.requestBodyBytes == 3000)
        #expect(upload.responseBodyBytes == Int64(direct.data?.count ?? 0))
        #expect(upload.responseHeaders.contains { $0.name == "Content-Type" })
        #expect(upload.timings.wait ?? 0 > 0)
        #expect(upload.timings.receive == nil)
        #expect(abs(upload.startDate.timeIntervalSinceNow) < 60)
        #expect(recording.events.contains { $0.subject == upload.subject })
        let redirected = try record("/upload")
        #expect(redirected.method == "GET")
        #expect(redirected.requestHeaders.contains { $0.name == "X-Kept" && $0.value == "kept" })
        #expect(!redirected.requestHeaders.contains { $0.value.contains("hidden") })
        #expect(failed.error != nil)
        let closed = try record("/close?recorded")
        #expect(closed.status == 0)
        #expect(closed.error?.isEmpty == false)
        #expect(try recording.har().isEmpty == false)
    }
}
