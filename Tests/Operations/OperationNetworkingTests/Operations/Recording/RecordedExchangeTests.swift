import CurlConnection
import EventRecorder
import TestSupport

@testable import OperationNetworking

/// What the exchanges of a recording say, where several look alike.
@Suite("Exchanges of a recording", .serialized, .timeLimit(.minutes(1)))
struct RecordedExchangeTests {
    private let world = TestWorld()
    private let manager: HTTPRequestOperationManager

    init() {
        manager = HTTPRequestOperationManager(baseURL: world.server.url("/"))
        manager.maxConcurrentOperationCount = 1
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "first")
    }

    private func record(
        _ paths: [String], before each: (Int) -> Void = { _ in }
    ) throws -> Recording {
        try EventRecorder.start()
        let group = DispatchGroup()
        for (index, path) in paths.enumerated() {
            each(index)
            group.enter()
            manager.get(path) { _, _ in
                group.leave()
            } failure: { _, _ in
                group.leave()
            }
        }
        group.wait()
        manager.operationQueue.waitUntilAllOperationsAreFinished()
        world.server.stop()
        return EventRecorder.stop()
    }

    @Test func `each has its own head and fields, whatever those before it had`() throws {
        world.server.add("/numbered") { request in
            .text("", headers: [("X-Number", request.query["n"] ?? "")])
        }
        // Texts come again, directly and later.
        let numbers = [1, 1, 2, 1, 3, 3]
        let recording = try record(numbers.map { "numbered?n=\($0)" }) {
            manager.requestSerializer.setValue("\(numbers[$0])", forHTTPHeaderField: "X-Asked")
        }

        func values(
            _ name: String, _ headers: (ExchangeRecord) -> [ExchangeRecord.Header]
        ) -> [String?] {
            recording.exchanges.map { headers($0).first { $0.name == name }?.value }
        }
        #expect(values("X-Number", \.responseHeaders) == numbers.map { "\($0)" })
        #expect(values("X-Asked", \.requestHeaders) == numbers.map { "\($0)" })
        #expect(recording.exchanges.map(\.url).map { $0.suffix(3) } == numbers.map { "n=\($0)" })
    }

    @Test func `times are each one's own, and making the connection is the first one's`() throws {
        let recording = try record(["get", "get", "get"])

        #expect(recording.exchanges.count == 3)
        for exchange in recording.exchanges {
            #expect(exchange.timings.wait ?? -1 >= 0)
            #expect(exchange.timings.receive ?? -1 >= 0)
            #expect(exchange.serverAddress == "127.0.0.1")
        }
        #expect(recording.exchanges.map { $0.timings.connect != nil } == [true, false, false])
        #expect(recording.exchanges.dropFirst().allSatisfy { $0.timings.dns == nil })
    }

    @Test func `after a redirect an exchange has the address that it went to`() throws {
        world.server.add("/old") { _ in .redirect(to: "/get") }
        let recording = try record(["old"])

        #expect(recording.exchanges.map { URL(string: $0.url)?.path } == ["/old", "/get"])
        #expect(recording.exchanges.map(\.status) == [302, 200])
    }

    @Test func `a block is seen on its own queue, though another was the last`() throws {
        let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
        let recording = try record([String](repeating: "get", count: 6)) {
            manager.completionQueue = $0 % 2 == 0 ? first : second
        }

        let labels = recording.events
            .filter { $0.kind == .queueRun && $0.phase == .begin }
            .map { recording.text(of: $0) }
        // Of each of three requests: the block that has the response serialized, and the caller's.
        #expect(labels.count { $0 == "first" } == 3)
        #expect(labels.count { $0 == "second" } == 3)
    }
}
