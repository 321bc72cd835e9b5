import CurlConnection
import TestSupport

@testable import OperationNetworking

/// Between start and end no step needs threads that serializers or callers can use up.
///
/// The tests wait on the test's own thread: Swift's tasks run on a pool that is filled here.
@Suite("Busy serializers and a full pool", .serialized, .timeLimit(.minutes(5)))
struct BusySerializerTests {
    private static let cores = ProcessInfo.processInfo.activeProcessorCount

    private let world = TestWorld()
    private let manager = OperationManager()
    private let completions = DispatchQueue(label: "completions")

    private func enqueue(
        _ serializer: HTTPResponseSerializer, _ path: String = "/json",
        _ reported: @escaping @Sendable () -> Void
    ) {
        let operation = world.httpOperation(path)
        operation.completionQueue = completions
        operation.responseSerializer = serializer
        operation.setCompletionBlock(
            success: { _, _ in reported() }, failure: { _, error in Issue.record("\(error)") })
        manager.enqueue(operation)
    }

    /// Whether it is told of within the time that a test may take.
    private func ends(_ serializer: HTTPResponseSerializer) -> Bool {
        let end = DispatchSemaphore(value: 0)
        enqueue(serializer) { end.signal() }
        return end.wait(timeout: .now() + 20) == .success
    }

    /// Runs a body while so many serializers work that wait for its end.
    private func withHeldSerializers(_ count: Int, _ body: () -> Void) {
        let (gate, entered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let ended = DispatchGroup()
        for _ in 0..<count {
            ended.enter()
            enqueue(GateSerializer(entered, gate)) { ended.leave() }
        }
        for _ in 0..<min(count, Self.cores) { entered.wait() }
        body()
        for _ in 0..<count { gate.signal() }
        #expect(ended.wait(timeout: .now() + 60) == .success)
    }

    /// Runs a body while blocks of a caller's use up Dispatch's default pool.
    private func withFullPool(_ body: () -> Void) {
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<64 { DispatchQueue.global().async { gate.wait() } }
        body()
        for _ in 0..<64 { gate.signal() }
    }

    /// In a process of its own: Dispatch adds a thread a second, and keeps it for a while. There are
    /// more serializers than seconds in which the operation may end.
    @Test func `while serializers of all cores and 64 more work, another operation ends`() async {
        await #expect(processExitsWith: .success) {
            let own = BusySerializerTests()
            own.withHeldSerializers(BusySerializerTests.cores + 64) {
                // A block for success would wait for a serializer, as in the original.
                let end = DispatchSemaphore(value: 0)
                let operation = HTTPRequestOperation(request: own.world.request("/json"))
                operation.networkThread = own.world.thread
                operation.completionQueue = own.completions
                operation.completionBlock = { end.signal() }
                own.manager.enqueue(operation)
                #expect(end.wait(timeout: .now() + 20) == .success)
            }
        }
    }

    @Test func `while serializers of all cores and two more work, another answer is decoded`() {
        withHeldSerializers(Self.cores + 2) {
            #expect(ends(JSONResponseSerializer()))
        }
    }

    @Test func `while a caller's blocks fill Dispatch's default pool, operations end`() {
        withFullPool {
            #expect(ends(HTTPResponseSerializer()))
            #expect(ends(JSONResponseSerializer()))
        }
    }

    @Test func `while both are busy, a batch ends`() {
        let end = DispatchSemaphore(value: 0)
        withHeldSerializers(Self.cores + 2) {
            withFullPool {
                let operation = world.plainOperation("/ok")
                operation.completionQueue = completions
                let last = URLConnectionOperation.batch(
                    of: [operation], progress: nil, completion: nil
                ).last
                let after = BlockOperation { end.signal() }
                last.map(after.addDependency)
                manager.enqueue(operation)
                last.map(manager.operationQueue.addOperation)
                manager.operationQueue.addOperation(after)
                #expect(end.wait(timeout: .now() + 20) == .success)
            }
        }
    }

    @Test func `block operations in a manager's queue run beside each other`() {
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let done = DispatchGroup()
        for (mine, other) in [(first, second), (second, first)] {
            done.enter()
            manager.operationQueue.addOperation {
                mine.signal()
                #expect(other.wait(timeout: .now() + 20) == .success)
                done.leave()
            }
        }
        #expect(done.wait(timeout: .now() + 40) == .success)
    }
}

/// A serializer that works until its gate opens.
private final class GateSerializer: HTTPResponseSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds guards itself.
    private let doors = Locked<(entered: DispatchSemaphore, gate: DispatchSemaphore)?>(nil)

    convenience init(_ entered: DispatchSemaphore, _ gate: DispatchSemaphore) {
        self.init()
        doors.withLock { $0 = (entered, gate) }
    }

    override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        let doors = doors.withLock { $0 }
        doors?.entered.signal()
        doors?.gate.wait()
        return SerializedResponse(object: data.map { $0 as NSData }, error: nil)
    }
}
