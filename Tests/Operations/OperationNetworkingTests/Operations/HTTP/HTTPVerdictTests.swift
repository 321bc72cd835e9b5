import CurlConnection
import TestSupport

@testable import OperationNetworking

/// One verdict an operation: success or failure, once, whatever happens meanwhile (HO-5, HO-6).
@Suite("The verdict of an HTTP operation", .timeLimit(.minutes(5)))
struct HTTPVerdictTests {
    private let world = TestWorld()
    private let end = Signal()
    private let log = Log<String>()

    private func operation(
        _ path: String, _ serializer: HTTPResponseSerializer = HTTPResponseSerializer()
    ) -> HTTPRequestOperation {
        let operation = world.httpOperation(path, serializer)
        operation.setCompletionBlock(
            success: { [log, end] _, object in
                log.add(object == nil ? "success without an object" : "success")
                end.fire()
            },
            failure: { [log, end] _, error in
                log.add("failure \((error as NSError).code)")
                end.fire()
            })
        return operation
    }

    @Test func `a serializer set during the work of another does not lose the error of that`()
        async
    {
        world.server.add("/gone") { _ in .text("gone", status: 404) }
        let held = HeldSerializer()
        held.result.withLock { $0 = .init(object: nil, error: CocoaError(.fileNoSuchFile)) }
        let operation = operation("/gone", held)
        operation.start()
        await held.entered.wait()
        operation.responseSerializer = HTTPResponseSerializer()
        #expect(operation.error == nil)
        held.gate.signal()
        await end.wait()
        await MainQueue.settle()
        #expect(log.all == ["failure \(CocoaError.fileNoSuchFile.rawValue)"])
        #expect(operation.error == nil)
        #expect(operation.responseObject is Data)
        #expect((operation.error as NSError?)?.code == -1011)
    }

    @Test func `a failure stays one when serializers are set all the time`() async {
        world.server.add("/gone") { _ in .text("gone", status: 404) }
        for round in 1...50 {
            let operation = operation("/gone")
            let (finished, done) = (DispatchSemaphore(value: 0), Signal())
            operation.whenFinished { finished.signal() }
            Thread.detachNewThread {
                _ = finished.wait(timeout: .now() + patience)
                for _ in 0..<500 { operation.responseSerializer = HTTPResponseSerializer() }
                done.fire()
            }
            operation.start()
            await end.wait(for: round)
            await done.wait(for: 1, "the other thread")
        }
        #expect(log.all == Array(repeating: "failure -1011", count: 50))
    }

    @Test func `a cancel inside the serializer comes too late and changes nothing`() async {
        let held = HeldSerializer()
        let operation = operation("/ok", held)
        held.inside.withLock { $0 = { operation.cancel() } }
        held.gate.signal()
        operation.start()
        await end.wait()
        await MainQueue.settle()
        #expect(log.all == ["success"])
        #expect(operation.error == nil && !operation.isCancelled)
    }

    @Test func `a storm of every call from eight threads ends in one verdict each`() async {
        let path = world.gate("storm", after: 5)
        world.server.release("storm")
        let count = 40
        let all = DispatchQueue(label: "of the test", attributes: .concurrent)
        for index in 0..<count {
            let operation = operation(path)
            let done = Signal()
            operation.start()
            for thread in 0..<8 {
                Thread.detachNewThread {
                    for step in 0..<6 {
                        Self.poke(operation, (index + thread * 7 + step * 3) % 11, all)
                    }
                    operation.resume()
                    done.fire()
                }
            }
            await done.wait(for: 8, "the threads")
            operation.resume()
            await end.wait(for: index + 1)
        }
        await MainQueue.settle()
        all.sync(flags: .barrier) {}
        #expect(log.all.count == count)
        let known: Set = ["success", "failure -999"]
        #expect(Set(log.all).isSubset(of: known), "\(Set(log.all))")
    }

    private static func poke(
        _ operation: HTTPRequestOperation, _ number: Int, _ queue: DispatchQueue
    ) {
        switch number {
        case 0, 1: operation.pause()
        case 2, 3: operation.resume()
        case 4: if Int.random(in: 0..<20) == 0 { operation.cancel() }
        case 5: operation.completionQueue = queue
        case 6: operation.completionQueue = nil
        case 7: operation.completionGroup = DispatchGroup()
        case 8: operation.responseSerializer = HTTPResponseSerializer()
        case 9: _ = (operation.responseObject, operation.error, operation.responseString)
        default: _ = (operation.description, operation.copy(), operation.userInfo)
        }
    }

    @Test func `eight readers at the end see the same object and the same error`() async {
        world.server.add("/bad") { _ in .json(#"{"a":1}"#, status: 500) }
        for _ in 0..<20 {
            let operation = operation("/bad", JSONResponseSerializer())
            let (seen, done) = (Log<String>(), Signal())
            let finished = DispatchSemaphore(value: 0)
            operation.whenFinished {
                for _ in 0..<8 { finished.signal() }
            }
            for _ in 0..<8 {
                Thread.detachNewThread {
                    _ = finished.wait(timeout: .now() + patience)
                    let object = operation.responseObject as? [String: Int]
                    seen.add(
                        "\(object ?? [:]) \((operation.error as NSError?)?.code ?? 0)"
                            + (operation.responseString ?? "nil"))
                    done.fire()
                }
            }
            operation.start()
            await done.wait(for: 8, "the readers")
            #expect(Set(seen.all) == [#"["a": 1] -1011{"a":1}"#])
        }
    }

    @Test func `the last of two pairs of blocks is called, and nothing of the first is kept`() async
    {
        let gone = Signal()
        let operation = operation("/ok")
        operation.setCompletionBlock(
            success: { [log, sentinel = Sentinel(gone)] _, _ in
                sentinel.touch()
                log.add("first")
            }, failure: nil)
        operation.completionBlock = { [log] in log.add("plain") }
        await gone.wait(for: 1, "the first block to be freed")
        operation.setCompletionBlock(
            success: { [log, end] _, _ in
                log.add("last")
                end.fire()
            }, failure: nil)
        operation.start()
        await end.wait()
        await MainQueue.settle()
        #expect(log.all == ["last"])
    }
}
