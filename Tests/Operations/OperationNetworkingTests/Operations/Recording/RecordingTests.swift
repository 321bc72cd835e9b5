import CurlConnection
import EventRecorder
import TestSupport

@testable import OperationNetworking

/// What a recording of real operations shows.
@Suite("A recording of operations", .serialized, .timeLimit(.minutes(5)))
struct RecordingTests {
    private let server = LoopbackServer.started()
    private let manager: HTTPRequestOperationManager
    private let base: URL

    init() {
        base = server.url("/")
        manager = HTTPRequestOperationManager(baseURL: base)
        manager.completionQueue = DispatchQueue(label: "answers")
    }

    /// Runs `count` requests while recording, until every callback has come.
    private func record(
        _ count: Int, of path: String = "get", keepingServer: Bool = false
    ) throws -> Recording {
        try EventRecorder.start()
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            manager.get(path, parameters: ["n": index]) { _, _ in
                group.leave()
            } failure: { _, _ in
                group.leave()
            }
        }
        group.wait()
        // A block that has told of its end is still running.
        manager.completionQueue?.sync {}
        manager.operationQueue.waitUntilAllOperationsAreFinished()
        if !keepingServer { server.stop() }
        return EventRecorder.stop()
    }

    private func count(_ kind: Event.Kind, _ phase: Event.Phase, in recording: Recording) -> Int {
        recording.events.count { $0.kind == kind && $0.phase == phase }
    }

    @Test func `every operation begins and ends once`() throws {
        let recording = try record(40)
        #expect(count(.operation, .begin, in: recording) == 40)
        #expect(count(.operation, .end, in: recording) == 40)
        #expect(count(.enqueued, .instant, in: recording) == 40)
        #expect(recording.dropped == 0)
    }

    @Test func `an edge of a state and the operation's begin or end are two events`() throws {
        let recording = try record(3)
        let operations = Set(recording.events.filter { $0.kind == .operation }.map(\.subject))
        #expect(operations.count == 3)
        for operation in operations {
            let events = recording.events.filter {
                $0.subject == operation && [.operation, .operationState].contains($0.kind)
            }
            let kinds: [Event.Kind] = [.operationState, .operation]
            #expect(events.map(\.kind) == kinds + kinds)
            #expect(events.map(\.phase) == [.instant, .begin, .instant, .end])
            #expect(events.map(\.value) == [258, 0, 515, 0])
            let texts = events.map { recording.text(of: $0) }
            #expect([texts[0], texts[2]] == ["ready → executing", "executing → finished"])
        }
    }

    @Test func `whoever takes a lock gives it back on the same thread, at the same depth`() throws {
        let recording = try record(40)
        var held: [UInt64: [Event]] = [:]
        for event in recording.events where event.kind == .lockHold {
            if event.phase == .begin {
                held[event.subject, default: []].append(event)
                // It is recursive, and nothing takes it again.
                #expect(event.value == 1 && held[event.subject]?.count == 1)
            } else {
                let taken = held[event.subject]?.popLast()
                #expect(taken?.thread == event.thread)
                #expect(taken?.value == event.value)
            }
        }
        #expect(!held.isEmpty)
        #expect(held.values.allSatisfy { $0.isEmpty })
    }

    @Test func `the network thread sleeps, is woken and tells by what`() throws {
        let recording = try record(5)
        let network = recording.threads.first { $0.value == "AFNetworking" }?.key
        let sleeps = recording.events.filter { $0.kind == .runLoopSleep }
        #expect(!sleeps.isEmpty)
        #expect(sleeps.contains { $0.thread == network })
        let sources = Set(
            recording.events.filter { $0.kind == .runLoopSource }.map { recording.text(of: $0) })
        #expect(sources.isSuperset(of: ["sockets", "jobs"]))
    }

    @Test func `callbacks are seen on their queue, after the wire and the serializer`() throws {
        let recording = try record(1)
        let order = recording.events.filter {
            [.transfer, .serialization, .callback].contains($0.kind) && $0.phase == .end
        }
        #expect(order.map { recording.text(of: $0) }.last == "success")
        #expect(order.first?.kind == .transfer)
        let runs = recording.events.filter { $0.kind == .queueRun && $0.phase == .begin }
        #expect(runs.contains { recording.text(of: $0) == "answers" })
    }

    @Test func `a callback is the caller's block, not ours that calls it`() throws {
        #expect(callbacks(in: try record(2, keepingServer: true)) == ["success", "success"])

        let request = URLRequest(url: server.url("/get"))
        let queue = DispatchQueue(label: "ends")
        let ended = DispatchSemaphore(value: 0)
        let pair = HTTPRequestOperation(request: request)
        pair.setCompletionBlock { _, _ in
            ended.signal()
        } failure: { _, _ in
            ended.signal()
        }
        let replaced = HTTPRequestOperation(request: request)
        replaced.setCompletionBlock(success: nil, failure: nil)
        replaced.completionBlock = { ended.signal() }
        try EventRecorder.start()
        for operation in [pair, replaced] {
            operation.completionQueue = queue
            operation.start()
            ended.wait()
        }
        queue.sync {}
        server.stop()
        #expect(callbacks(in: EventRecorder.stop()) == ["success", "completion"])
    }

    private func callbacks(in recording: Recording) -> [String] {
        recording.events.filter { $0.kind == .callback && $0.phase == .begin }
            .map { recording.text(of: $0) }
    }

    @Test func `main is told of a round in one block, another queue in many`() throws {
        let (batch, queue, group) = (CallbackBatch(), DispatchQueue(label: "own"), DispatchGroup())
        try EventRecorder.start()
        for _ in 0..<3 {
            _ = batch.add(for: CallbackBatch.main, group) {}
            _ = batch.add(for: queue, group) {}
        }
        batch.send()
        group.wait()
        // The blocks around them end behind them.
        queue.sync {}
        DispatchQueue.main.sync {}
        let recording = EventRecorder.stop()

        // What earlier tests' network thread still does then is not of this thread.
        let submitted = recording.events.filter { $0.kind == .queueSubmit }
        let own = try #require(submitted.first { recording.text(of: $0) == "own" })
        let mine = Set(submitted.filter { $0.thread == own.thread }.map(\.subject))
        for (label, count) in [(DispatchQueue.main.label, 1), ("own", 3)] {
            let blocks = recording.events.filter {
                recording.text(of: $0) == label && mine.contains($0.subject)
            }
            #expect(blocks.count { $0.kind == .queueSubmit } == count)
            #expect(blocks.count { $0.kind == .queueRun && $0.phase == .begin } == count)
            #expect(blocks.count { $0.kind == .queueRun && $0.phase == .end } == count)
        }
        #expect(!recording.unpaired().contains { mine.contains($0.subject) })
    }

    @Test func `a refused connection has a socket and no exchange on the wire`() throws {
        server.stop()
        let recording = try record(1)
        #expect(count(.socket, .begin, in: recording) == 1)
        #expect(count(.socket, .end, in: recording) == 1)
        #expect(count(.transfer, .begin, in: recording) == 0)
        #expect(recording.exchanges.map(\.status) == [0])
        #expect(recording.exchanges.first?.error?.isEmpty == false)
    }

    @Test func `the exchanges are those of the server's log`() throws {
        manager.requestSerializer.setAuthorizationHeaderField(username: "eve", password: "secret")
        let recording = try record(12)
        let seen = recording.exchanges.map {
            URLComponents(string: $0.url)?.queryItems?.first?.value
        }
        let log = server.requests
        #expect(Set(seen) == Set(log.map { $0.query["n"] }) && seen.count == log.count)
        #expect(recording.exchanges.allSatisfy { $0.status == 200 && $0.method == "GET" })
        #expect(
            Set(recording.exchanges.map(\.connection)).count
                == Set(log.map(\.connection)).count)
        let archive = String(decoding: try recording.har(), as: UTF8.self)
        #expect(!archive.contains("secret") && archive.contains("REDACTED"))
    }

    @Test func `a second recording is told of the connections that are kept from the first`() throws
    {
        manager.maxConcurrentOperationCount = 1
        for _ in 0..<2 {
            let recording = try record(1, keepingServer: true)
            #expect(count(.socket, .begin, in: recording) == 1)
            #expect(count(.serverConnection, .begin, in: recording) == 1)
            let socket = recording.events.first { $0.kind == .socket }?.subject
            let transfer = recording.events.first { $0.kind == .transfer && $0.phase == .begin }
            #expect(transfer.map { UInt64($0.value) } == socket)
        }
        #expect(server.statistics.connectionsAccepted == 1)
    }

    @Test func `a cancelled exchange says so, and one that was never sent is not there`() throws {
        server.hold("door")
        server.add("/door") { _ in ScriptedResponse([.wait(gate: "door")]) }
        try EventRecorder.start()
        let operation = manager.get("door") { _, _ in }
        #expect(server.waitUntilReached("door", count: 1))
        operation?.cancel()
        manager.operationQueue.waitUntilAllOperationsAreFinished()
        let recording = EventRecorder.stop()
        server.release("door")
        #expect(recording.exchanges.map(\.status) == [0])
        #expect(recording.exchanges.first?.error?.isEmpty == false)
    }

    @Test func `nothing is seen of what ran before and after`() throws {
        let group = DispatchGroup()
        group.enter()
        manager.get("get") { _, _ in group.leave() }
        group.wait()
        let recording = try record(1)
        #expect(count(.operation, .begin, in: recording) == 1)
        #expect(EventRecorder.stop().events.isEmpty)
    }
}
