import CurlConnection
import TestSupport

@testable import OperationNetworking

/// More than one pause in a download, and pauses while a stream has no room.
@Suite("Pausing again and again", .timeLimit(.minutes(5)))
struct RepeatedPauseTests {
    private static let whole = Data((0..<100).map { UInt8($0) })
    private static let path = "/entity"

    private let world = TestWorld()

    /// One answer for each request, in order; the gate "part" stops those that end in a pause.
    private func serve(_ answers: [ScriptedResponse]) {
        let turns = Signal()
        world.server.add(Self.path) { _ in
            turns.fire()
            return turns.count <= answers.count ? answers[turns.count - 1] : .status(500)
        }
    }

    private func first(_ bytes: Range<Int>, tag: String = "\"a\"") -> ScriptedResponse {
        let head = ScriptedResponse.head(200, [("ETag", tag), ("Content-Length", "100")])
        return ScriptedResponse([.bytes(head), .bytes(Self.whole[bytes]), .wait(gate: "part")])
    }

    private func rest(from offset: Int, upTo end: Int = 100) -> ScriptedResponse {
        let head = ScriptedResponse.head(
            206,
            [
                ("ETag", "\"a\""), ("Content-Length", "\(100 - offset)"),
                ("Content-Range", "bytes \(offset)-99/100"),
            ])
        let body = ScriptedResponse([.bytes(head), .bytes(Self.whole[offset..<end])])
        return end == 100 ? body : body.then(.wait(gate: "part"))
    }

    private var ranges: [String?] { world.server.requests.map { $0.headers["Range"] } }

    /// Resumes or starts, waits until so many bytes are stored, and pauses.
    private func advance(_ operation: LifeOperation, to count: Int64) async {
        let stored = Signal()
        operation.setDownloadProgressBlock { _, total, whole in
            #expect(whole == 100 && total <= 100)
            if total == count { stored.fire() }
        }
        if operation.isPaused { operation.resume() } else { operation.start() }
        await stored.wait(for: 1, "\(count) bytes")
        operation.pause()
        await world.seesTheClose()
        await world.settle()
        #expect(operation.totalBytesRead == count && operation.isPaused)
    }

    @Test func `paused three times, each byte comes once`() async {
        serve([
            first(0..<20), rest(from: 20, upTo: 50), rest(from: 50, upTo: 51), rest(from: 51),
        ])
        let operation = world.operation(Self.path)
        let end = operation.endSignal()
        for count: Int64 in [20, 50, 51] { await advance(operation, to: count) }
        operation.resume()
        await end.wait()
        #expect(operation.error == nil && operation.responseData == Self.whole)
        #expect(ranges == [nil, "bytes=20-", "bytes=50-", "bytes=51-"])
    }

    @Test func `paused before the answer to the range, it asks for the same range again`() async {
        let stopped = ScriptedResponse([.wait(gate: "head")])
        serve([first(0..<20), stopped, rest(from: 20)])
        let operation = world.operation(Self.path)
        let end = operation.endSignal()
        await advance(operation, to: 20)
        operation.resume()
        await world.reached("head")
        operation.pause()
        await world.seesTheClose()
        operation.resume()
        await end.wait()
        #expect(operation.error == nil && operation.responseData == Self.whole)
        #expect(ranges == [nil, "bytes=20-", "bytes=20-"])
    }

    @Test func `started over in memory and paused again, it goes on with the new entity`() async {
        serve([
            first(50..<90), first(0..<30, tag: "\"b\""),
            .data(
                Self.whole[30...], status: 206,
                headers: [("ETag", "\"b\""), ("Content-Range", "bytes 30-99/100")]),
        ])
        let operation = world.operation(Self.path)
        let end = operation.endSignal()
        await advance(operation, to: 40)
        await advance(operation, to: 30)
        operation.resume()
        await end.wait()
        #expect(operation.error == nil && operation.responseData == Self.whole)
        #expect(ranges == [nil, "bytes=40-", "bytes=30-"])
        #expect(world.server.requests.last?.headers["If-Range"] == "\"b\"")
    }

    @Test func `paused while a whole answer repeats the part, no byte of the rest is lost`() async {
        serve([first(0..<40), first(0..<20), rest(from: 40)])
        let operation = world.operation(Self.path)
        let stream = NarrowStream(room: 1_000)
        operation.outputStream = stream
        let end = operation.endSignal()
        await advance(operation, to: 40)
        let repeated = Signal()
        operation.at(.data) { repeated.fire() }
        operation.resume()
        await repeated.wait(for: 1, "the repeated bytes")
        await world.settle()
        operation.pause()
        await world.seesTheClose()
        operation.resume()
        await end.wait()
        #expect(operation.error == nil && operation.totalBytesRead == 100)
        #expect(stream.bytes == Self.whole)
        #expect(ranges == [nil, "bytes=40-", "bytes=40-"])
    }

    @Test(arguments: [true, false])
    func `paused while the stream has no room, each byte is written once`(
        byRange: Bool
    ) async {
        let whole = ScriptedResponse.data(Self.whole, headers: [("ETag", "\"a\"")])
        serve([first(0..<40), byRange ? rest(from: 10) : whole])
        let operation = world.operation(Self.path)
        let stream = NarrowStream(room: 10)
        operation.outputStream = stream
        let end = operation.endSignal()
        await advance(operation, to: 10)
        #expect(stream.bytes == Self.whole.prefix(10))
        stream.widen(to: 1_000)
        operation.resume()
        await end.wait()
        #expect(operation.error == nil && operation.totalBytesRead == 100)
        #expect(stream.bytes == Self.whole)
        #expect(ranges == [nil, "bytes=10-"])
    }
}

/// A stream that takes so many bytes in all and then says that it has no room.
///
/// The network thread writes while the test asks, so what it adds is under one lock.
final class NarrowStream: OutputStream {
    private struct State {
        var room = 0
        var bytes = Data()
        var status = Stream.Status.notOpen
    }

    private let state = Locked(State())

    convenience init(room: Int) {
        self.init(toMemory: ())
        widen(to: room)
    }

    var bytes: Data { state.withLock { $0.bytes } }

    func widen(to room: Int) {
        state.withLock { $0.room = room }
    }

    override var streamStatus: Stream.Status { state.withLock { $0.status } }
    override var streamError: (any Error)? { nil }
    override var hasSpaceAvailable: Bool { state.withLock { $0.bytes.count < $0.room } }

    override func open() {
        state.withLock { $0.status = .open }
    }

    override func close() {
        state.withLock { $0.status = .closed }
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        state.withLock { state in
            let count = min(length, state.room - state.bytes.count)
            state.bytes.append(buffer, count: count)
            return count
        }
    }
}
