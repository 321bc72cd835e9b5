import TestSupport

@testable import OperationNetworking

@Suite("A body between its transfer and its reader", .timeLimit(.minutes(1)))
struct BodyChannelTests {
    private let channel = BodyChannel(for: nil)
    private let follows = Log<Bool>()
    private let cancels = Signal()
    private static let response = URLResponse(
        url: URL(fileURLWithPath: "/"), mimeType: nil, expectedContentLength: -1,
        textEncodingName: nil)
    private let isCancelled = Locked(false)

    init() {
        channel.connect(
            BodyChannel.Transfer { [follows] channel in
                follows.add(channel.isFull)
            } isCancelled: { [isCancelled] in
                isCancelled.withLock { $0 }
            } cancel: { [cancels] in
                cancels.fire()
            })
    }

    private func bytes(_ response: URLResponse = BodyChannelTests.response) -> ResponseBytes {
        ResponseBytes(channel, response)
    }

    @Test func `what waits is read at once, then the end`() async throws {
        channel.put(Data("ab".utf8))
        channel.put(Data("c".utf8))
        channel.finish(nil)
        #expect(try await channel.next() == Data("abc".utf8))
        #expect(try await channel.next() == nil)
        #expect(try await channel.next() == nil)
        #expect(cancels.count == 0)
    }

    @Test func `what came before an error is read before it, and the error stays`() async throws {
        channel.put(Data("ab".utf8))
        channel.finish(URLError(.networkConnectionLost))
        #expect(try await channel.next() == Data("ab".utf8))
        for _ in 0..<2 {
            await #expect(throws: URLError(.networkConnectionLost)) { try await channel.next() }
        }
    }

    @Test func `nothing is read once the transfer is cancelled, also what waits`() async throws {
        channel.put(Data("ab".utf8))
        isCancelled.withLock { $0 = true }
        await #expect(throws: URLError(.cancelled)) { try await channel.next() }
        let other = BodyChannel(for: nil)
        other.put(Data("ab".utf8))
        other.finish(URLError(.cancelled))
        await #expect(throws: URLError(.cancelled)) { try await other.next() }
    }

    @Test func `the transfer is told when the channel is full and when it is not any more`()
        async throws
    {
        channel.put(Data(count: BodyChannel.limit - 1))
        #expect(!channel.isFull && follows.all.isEmpty)
        channel.put(Data(count: 1))
        channel.put(Data(count: 1))
        #expect(channel.isFull && follows.all == [true])
        _ = try await channel.next()
        #expect(!channel.isFull && follows.all == [true, false])
        // The end needs no room.
        channel.put(Data(count: BodyChannel.limit))
        channel.finish(nil)
        #expect(!channel.isFull)
    }

    @Test func `a second reader is refused, and the first goes on`() async throws {
        let bytes = bytes()
        var first = bytes.chunks.makeAsyncIterator()
        var second = bytes.lines.makeAsyncIterator()
        await #expect(throws: BodyReadingError.readTwice) { try await second.next() }
        channel.put(Data("ab".utf8))
        #expect(try await first.next() == Data("ab".utf8))
        #expect(cancels.count == 0)
    }

    @Test func `the transfer is cancelled with an iterator, or where nobody reads`() async throws {
        var sequence: ResponseBytes? = bytes()
        var iterator = sequence?.makeAsyncIterator()
        channel.put(Data("ab".utf8))
        #expect(try await iterator?.next() == UInt8(ascii: "a"))
        sequence = nil
        #expect(cancels.count == 0)
        iterator = nil
        #expect(cancels.count == 1)
        let unread = BodyChannelTests()
        _ = unread.bytes()
        #expect(unread.cancels.count == 1)
    }

    @Test func `a transfer that is connected after its reader went is cancelled`() {
        let late = BodyChannel(for: nil)
        late.leave()
        let cancels = Signal()
        late.connect(
            BodyChannel.Transfer { _ in
            } isCancelled: {
                false
            } cancel: {
                cancels.fire()
            })
        #expect(cancels.count == 1)
    }

    @Test func `a transfer that is connected to a full channel is told so`() {
        let late = BodyChannel(for: nil)
        late.put(Data(count: BodyChannel.limit))
        late.connect(
            BodyChannel.Transfer { [follows] channel in
                follows.add(channel.isFull)
            } isCancelled: {
                false
            } cancel: {
            })
        #expect(follows.all == [true])
    }

    @Test func `a task that waits is cancelled with the transfer, and hears of it at once`() async {
        let task = Task { try await channel.next() }
        task.cancel()
        await #expect(throws: URLError(.cancelled)) { try await task.value }
        #expect(cancels.count == 1)
        channel.put(Data("late".utf8))
        await #expect(throws: URLError(.cancelled)) { try await channel.next() }
    }

    @Test func `a response that is no event stream says so, and its body can still be read`()
        async throws
    {
        let url = URL(fileURLWithPath: "/")
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 401, httpVersion: nil,
                headerFields: ["Content-Type": "application/json"]))
        let bytes = bytes(response)
        channel.put(Data("{}".utf8))
        channel.finish(nil)
        let refusal = BodyReadingError.notAnEventStream(status: 401, type: "application/json")
        await #expect(throws: refusal) { for try await _ in bytes.events {} }
        var text = ""
        for try await line in bytes.lines { text += line }
        #expect(text == "{}")
    }
}
