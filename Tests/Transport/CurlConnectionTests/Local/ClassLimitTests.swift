import HTTPSemantics
import Synchronization
import TestSupport

@testable import CurlConnection

@Suite("What a class of protocolClasses says before it can be taken", .timeLimit(.minutes(1)))
struct ClassLimitTests {
    /// Says what its address has: `/PIECES/SIZE`, and behind the end so many pieces more, `/LATE`.
    private final class Pushing: URLProtocol {
        /// The addresses of those that were told to stop.
        static let stopped = Watched<[URL]>([])
        /// The addresses of those that have said all.
        static let pushed = Watched<[URL]>([])

        override class func canInit(with request: URLRequest) -> Bool { true }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            guard let url = request.url else { return }
            let numbers = url.pathComponents.compactMap { Int($0) }
            guard numbers.count == 3 else { return }
            let response = URLResponse(
                url: url, mimeType: "a/b", expectedContentLength: -1, textEncodingName: nil)
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            push(numbers[0], numbers[1])
            client?.urlProtocolDidFinishLoading(self)
            push(numbers[2], numbers[1])
            Self.pushed.change { $0.append(url) }
        }

        private func push(_ count: Int, _ size: Int) {
            for _ in 0..<count { client?.urlProtocol(self, didLoad: Data(count: size)) }
        }

        override func stopLoading() {
            guard let url = request.url else { return }
            Self.stopped.change { $0.append(url) }
        }
    }

    private func start(
        _ path: String, _ recorder: Recorder, in world: TestWorld,
        configure: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) throws -> URL {
        let url = try #require(URL(string: "http://\(UUID().uuidString).test" + path))
        world.thread.start(URLRequest(url: url, timeoutInterval: 20), recorder) {
            $0.configuration.protocolClasses = [Pushing.self]
            $0.configuration.limits.bodyInMemory = 5_000
            configure($0)
        }
        return url
    }

    private func expectLimit(_ heard: Heard) {
        #expect(heard.code == .dataLengthExceedsMaximum)
        let limit = heard.error?.underlyingError as? LoadLimitError
        #expect(limit == LoadLimitError(.bodyInMemory, 5_000))
        let text = heard.error?.localizedDescription ?? ""
        #expect(text.contains("Pushing") && text.contains("limits.bodyInMemory"))
    }

    @Test func `more than may be in memory fails the load, and the class is stopped`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onNotConsumed = { 1 }
            let url = try start("/10/1000/0", recorder, in: world)
            expectLimit(recorder.atEnd())
            #expect(recorder.heard.data.count == 1_000)
            #expect(Pushing.stopped.blockUntil { $0.contains(url) })
        }
    }

    @Test(arguments: ["/10/1000/0", "/2/20000/0"])
    func `what the delegate takes at once has no limit`(path: String) throws {
        try withWorld { world in
            let recorder = Recorder()
            _ = try start(path, recorder, in: world)
            #expect(recorder.atEnd().order == [.willSend, .response, .data, .finish])
            #expect(recorder.heard.data.count >= 10_000)
        }
    }

    @Test func `a suspended load stops the class then, and fails when it is resumed`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onCall = { call, connection in
                if call == .response { connection.suspend() }
            }
            let url = try start("/10/1000/0", recorder, in: world)
            #expect(Pushing.stopped.blockUntil { $0.contains(url) })
            world.thread.settle()
            #expect(recorder.heard.order == [.willSend, .response])
            _ = world.thread.sync { recorder.connection?.resume() }
            expectLimit(recorder.atEnd())
        }
    }

    @Test func `one that was suspended ends when the delegate has consumed it`() throws {
        try withWorld { world in
            let isFull = Atomic<Bool>(true)
            let recorder = Recorder()
            recorder.onCall = { call, connection in
                if call == .response { connection.suspend() }
            }
            recorder.onNotConsumed = { [unowned recorder] in
                let isLast = recorder.connection?.hasReceivedAll == true
                return isLast && isFull.load(ordering: .relaxed) ? 1 : 0
            }
            let url = try start("/2/1000/0", recorder, in: world) {
                $0.consumer = .signals(isLimited: false)
            }
            #expect(Pushing.pushed.blockUntil { $0.contains(url) })
            world.thread.settle()
            _ = world.thread.sync { recorder.connection?.resume() }
            #expect(recorder.wait { $0.data.count == 2_000 })
            world.thread.settle()
            #expect(!recorder.heard.hasEnded)
            isFull.store(false, ordering: .relaxed)
            _ = world.thread.sync { recorder.connection?.continueReceiving() }
            #expect(recorder.atEnd().order == [.willSend, .response, .data, .finish])
        }
    }

    @Test func `what a class says behind its end does not count`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onNotConsumed = { [unowned recorder] in
                recorder.heard.count(.notConsumed) > 5 ? 0 : 1
            }
            _ = try start("/1/1000/10", recorder, in: world)
            #expect(recorder.atEnd().order == [.willSend, .response, .data, .finish])
            #expect(recorder.heard.data.count == 1_000)
        }
    }

    @Test func `many small pieces that wait take little more than their bytes`() {
        var load = ClassLoad(ProtocolLoad())
        load.hasResponse = true
        for number in 0..<200_000 { load.add(.data(Data([UInt8(truncatingIfNeeded: number)]))) }
        #expect(load.queuedBytes == 200_000)
        var (all, pieces) = (Data(), 0)
        while case .data(let piece)? = load.next() {
            all += piece
            pieces += 1
        }
        #expect(pieces < 10)
        #expect(all == Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) }))
        #expect(load.queuedBytes == 0)
    }

    @Test func `bytes before the response wait for it, and come in their order`() throws {
        let response = URLResponse(
            url: try #require(URL(string: "http://mock.test/")), mimeType: nil,
            expectedContentLength: -1, textEncodingName: nil)
        var load = ClassLoad(ProtocolLoad())
        let large = Data(repeating: 1, count: 70_000)
        load.add(.data(large))
        if load.next() != nil { Issue.record("bytes before the response") }
        #expect(!load.isEmpty)
        load.add(.response(response))
        load.add(.data(Data([2])))
        load.add(.end)
        guard case .response? = load.next() else {
            Issue.record("no response")
            return
        }
        load.hasResponse = true
        var order: [Int] = []
        while let event = load.next() {
            if case .data(let data) = event { order.append(data.count) } else { order.append(0) }
        }
        #expect(order == [70_000, 1, 0])
        #expect(load.isEmpty && load.queuedBytes == 0)
    }
}
