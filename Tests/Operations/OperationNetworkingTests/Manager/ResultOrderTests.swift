import CurlConnection
import TestSupport

@testable import OperationNetworking

@Suite("Ordered results", .timeLimit(.minutes(5)))
struct ResultOrderTests {
    private let world = TestWorld()
    private let manager: HTTPRequestOperationManager
    private let log = Log<Int>()

    init() {
        manager = HTTPRequestOperationManager(baseURL: world.server.url("/"))
        manager.networkThread = world.thread
        manager.maxConcurrentOperationCount = 1
    }

    /// An operation that logs its number; not enqueued.
    private func operation(
        _ number: Int, _ serializer: HTTPResponseSerializer = JSONResponseSerializer(),
        _ path: String = "/json"
    ) -> HTTPRequestOperation {
        let operation = manager.httpRequestOperation(with: world.request(path)) { [log] _, _ in
            log.add(number)
        } failure: { [log] _, _ in
            log.add(-number)
        }
        operation.responseSerializer = serializer
        return operation
    }

    private func ends(_ operation: Operation) async {
        let isOver = Signal()
        (operation as? URLConnectionOperation)?.whenFinished { isOver.fire() }
        await isOver.wait()
    }

    private var count: Int {
        Int(ProcessInfo.processInfo.environment["ORDERED_REQUESTS"] ?? "") ?? 300
    }

    // MARK: Completions

    @Test(arguments: [false, true])
    func `a slow serializer lets the next callback overtake it, unless they are ordered`(
        isOrdered: Bool
    ) async {
        manager.completesInOrder = isOrdered
        let held = HeldSerializer()
        let (first, second) = (operation(1, held), operation(2))
        manager.enqueue(first)
        manager.enqueue(second)
        await held.entered.wait()
        await ends(second)
        if isOrdered {
            // Everything that is on its way without an order has come.
            let free = operation(3)
            free.start()
            #expect(await log.reaches(1))
            #expect(log.all == [3])
        } else {
            #expect(await log.reaches(1))
            #expect(log.all == [2])
        }
        held.gate.signal()
        #expect(await log.reaches(isOrdered ? 3 : 2))
        #expect(log.all == (isOrdered ? [3, 1, 2] : [2, 1]))
    }

    @Test func `at width 1 all callbacks come in start order, with mixed serializers and ends`()
        async
    {
        manager.completesInOrder = true
        var random = SeededNumbers(seed: 4)
        var expected: [Int] = []
        manager.isSuspended = true
        for number in 1...count {
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                manager.enqueue(operation(number, HTTPResponseSerializer()))
                expected.append(number)
            case 1:
                manager.enqueue(operation(number, BusySerializer()))
                expected.append(number)
            case 2:
                let plain = world.operation()
                plain.completionBlock = { [log] in log.add(number) }
                manager.enqueue(plain)
                expected.append(number)
            case 3:
                let cancelled = operation(number)
                manager.enqueue(cancelled)
                cancelled.cancel()
                expected.append(-number)
            default:
                manager.enqueue(operation(number))
                expected.append(number)
            }
        }
        manager.isSuspended = false
        #expect(await log.reaches(count))
        #expect(log.all == expected)
    }

    @Test func `a batch of ordered operations ends after all of their callbacks`() async {
        manager.completesInOrder = true
        let end = Signal()
        manager.enqueue(batch: (1...20).map { operation($0) }, progress: nil) { [log] _ in
            if log.all == Array(1...20) { end.fire() }
        }
        await end.wait()
    }

    // MARK: Objects

    @Test(arguments: [false, true])
    func `a dependent operation starts before the object is made, unless it is asked to wait`(
        waits: Bool
    ) async {
        manager.finishesAfterSerialization = waits
        manager.maxConcurrentOperationCount = 4
        let held = HeldSerializer()
        let (first, second) = (operation(1, held), operation(2, HTTPResponseSerializer(), "/ok"))
        second.addDependency(first)
        manager.enqueue(first)
        manager.enqueue(second)
        await held.entered.wait()
        if waits {
            await world.settle()
            #expect(first.isExecuting && !second.isReady)
            #expect(world.server.requests.map(\.path) == ["/json"])
        } else {
            await ends(second)
            #expect(first.isFinished)
        }
        held.gate.signal()
        #expect(await log.reaches(2))
        #expect(world.server.requests.map(\.path) == ["/json", "/ok"])
    }

    @Test func `every dependent operation finds the object, and the error, without asking for it`()
        async
    {
        manager.finishesAfterSerialization = true
        manager.maxConcurrentOperationCount = 6
        world.server.add("/refused") { _ in .status(404) }
        let found = Log<Bool>()
        for number in 1...count {
            let isRefused = number.isMultiple(of: 7)
            let serializer = MadeSerializer()
            let first = operation(number, serializer, isRefused ? "/refused" : "/json")
            let second = BlockOperation { [unowned first] in
                let isMade = serializer.isMade.withLock { $0 }
                let (error, object) = (first.error, first.responseObject)
                found.add(isMade && (isRefused ? error != nil : error == nil && object != nil))
            }
            second.addDependency(first)
            manager.enqueue(first)
            manager.operationQueue.addOperation(second)
            if number.isMultiple(of: 100) { #expect(await found.reaches(number)) }
        }
        #expect(await found.reaches(count))
        #expect(found.all.allSatisfy { $0 })
        #expect(await log.reaches(count))
    }

    @Test func `a cancel while the object is made ends it at once, with the cancel`() async throws {
        manager.finishesAfterSerialization = true
        let held = HeldSerializer()
        held.result.withLock {
            $0 = SerializedResponse(object: nil, error: CocoaError(.coderReadCorrupt))
        }
        let operation = operation(1, held)
        manager.enqueue(operation)
        await held.entered.wait()
        operation.cancel()
        await ends(operation)
        #expect((operation.error as? URLError)?.code == .cancelled)
        held.gate.signal()
        #expect(await log.reaches(1))
        await world.settle()
        #expect(log.all == [-1])
        #expect((operation.error as? URLError)?.code == .cancelled)
        #expect(operation.responseObject == nil && operation.responseData == nil)
        #expect(operation.metrics?.transactionMetrics.count == 1)
    }

    @Test func `a pause while the object is made sends nothing again`() async throws {
        manager.finishesAfterSerialization = true
        let held = HeldSerializer()
        let operation = operation(1, held)
        manager.enqueue(operation)
        await held.entered.wait()
        operation.pause()
        operation.resume()
        await world.settle()
        #expect(operation.isExecuting)
        held.gate.signal()
        #expect(await log.reaches(1))
        #expect(operation.error == nil && operation.responseObject is NSObject)
        #expect(world.server.requests.count == 1 && log.all == [1])
    }

    @Test func `both together, and an awaited operation has the same object`() async throws {
        manager.finishesAfterSerialization = true
        manager.completesInOrder = true
        let object = try await manager.result(for: world.request("/json"))
        #expect(object as? [String: String] == ["a": "b"])
        for number in 1...20 { manager.enqueue(operation(number)) }
        #expect(await log.reaches(20))
        #expect(log.all == Array(1...20))
        let copy = manager.copy() as? HTTPRequestOperationManager
        #expect(copy?.completesInOrder == true && copy?.finishesAfterSerialization == true)
        manager.completesInOrder = false
        #expect(!manager.completesInOrder && copy?.completesInOrder == true)
    }
}

/// Takes longer than the others, without sleeping.
private final class BusySerializer: HTTPResponseSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass.
    override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        var sum = 0.0
        for number in 1...20_000 { sum += Double(number).squareRoot() }
        return SerializedResponse(object: sum, error: nil)
    }
}

/// A JSON serializer that notes when it has made its object.
private final class MadeSerializer: JSONResponseSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds guards itself.
    let isMade = Locked(false)

    override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        let made = super.responseObject(for: response, data: data)
        isMade.withLock { $0 = true }
        return made
    }
}
