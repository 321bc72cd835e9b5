import CurlConnection
import EventRecorder
import RequestEra
import SessionEra
import TestSupport

@testable import OperationNetworking

/// Deadlocks that are planted, each in a process of its own, and named within a second.
@Suite("Planted deadlocks", .serialized, .timeLimit(.minutes(5)))
struct StallTests {
    @Test func `two threads take two locks in two orders`() async {
        await #expect(processExitsWith: .success) {
            try PlantedStall.mustName(["thread one", "thread two", "lock of"], isCycle: true) { _ in
                let (first, second) = (OperationLock(), OperationLock())
                let gates = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
                PlantedStall.thread("one") {
                    first.withLock {
                        gates[0].signal()
                        gates[1].wait()
                        second.withLock {}
                    }
                }
                PlantedStall.thread("two") {
                    second.withLock {
                        gates[1].signal()
                        gates[0].wait()
                        first.withLock {}
                    }
                }
            }
        }
    }

    @Test func `a thread holds an operation's lock and waits for the network thread`() async {
        await #expect(processExitsWith: .success) {
            try PlantedStall.mustName(
                [
                    "thread stalls waits for lock of GET http", "waits for thread holder",
                    "thread holder",
                ]
            ) { server in
                let thread = NetworkThread(name: "stalls")
                let operation = URLConnectionOperation(
                    request: URLRequest(url: server.url("/gate/never")))
                operation.networkThread = thread
                operation.start()
                _ = server.waitUntilReached("never")
                PlantedStall.thread("holder") {
                    let isDone = DispatchSemaphore(value: 0)
                    operation.lock.withLock {
                        thread.perform(inModes: [.common]) {
                            _ = operation.response
                            isDone.signal()
                        }
                        isDone.wait()
                    }
                }
            }
        }
    }

    @Test func `main waits for main`() async {
        await #expect(processExitsWith: .success) {
            try PlantedStall.mustName(
                ["queue \(DispatchQueue.main.label) waits", "in callback success of GET http"]
            ) { server in
                let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
                manager.responseSerializer = HTTPResponseSerializer()
                let isOther = DispatchSemaphore(value: 0)
                manager.get("ok", parameters: nil) { _, _ in
                    manager.get("ok", parameters: nil) { _, _ in isOther.signal() }
                    isOther.wait()
                }
            }
        }
    }

    @Test func `a completion queue waits for itself`() async {
        await #expect(processExitsWith: .success) {
            try PlantedStall.mustName(["queue answers waits", "in callback success of GET http"]) {
                server in
                let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
                manager.responseSerializer = HTTPResponseSerializer()
                manager.completionQueue = DispatchQueue(label: "answers")
                let isOther = DispatchSemaphore(value: 0)
                manager.get("ok", parameters: nil) { _, _ in
                    manager.get("ok", parameters: nil) { _, _ in isOther.signal() }
                    isOther.wait()
                }
            }
        }
    }

    @Test func `a delegate queue waits for itself`() async {
        await #expect(processExitsWith: .success) {
            try PlantedStall.mustName(["urlSession(_:dataTask:didReceive"]) { server in
                let manager = SessionEra.URLSessionManager(sessionConfiguration: .ephemeral)
                manager.responseSerializer = HTTPResponseSerializer()
                let isOther = DispatchSemaphore(value: 0)
                manager.setDataTaskDidReceiveDataBlock { _, _, _ in
                    let other = manager.dataTask(with: URLRequest(url: server.url("/status/204"))) {
                        _, _, _ in isOther.signal()
                    }
                    other.resume()
                    isOther.wait()
                }
                manager.dataTask(with: URLRequest(url: server.url("/ok"))) { _, _, _ in }.resume()
                _ = server.waitUntil(timeout: 10) { _, requests in requests.count == 2 }
                withExtendedLifetime(manager) { _ = usleep(1_000_000) }
            }
        }
    }

    @Test func `operations depend on each other`() async {
        await #expect(processExitsWith: .success) {
            let queue = OperationQueue()
            try PlantedStall.mustName(
                ["operation first waits for operation second", "operation second"], isCycle: true,
                queues: [queue]
            ) { server in
                let operations = ["first", "second"].map { name in
                    let operation = URLConnectionOperation(
                        request: URLRequest(url: server.url("/ok")))
                    operation.name = name
                    return operation
                }
                operations[0].addDependency(operations[1])
                operations[1].addDependency(operations[0])
                queue.addOperations(operations, waitUntilFinished: false)
            }
        }
    }

    @Test func `an operation of a queue of one waits for another of it`() async {
        await #expect(processExitsWith: .success) {
            let queue = OperationQueue()
            queue.name = "narrow"
            queue.maxConcurrentOperationCount = 1
            try PlantedStall.mustName(
                ["operation request waits for queue narrow", "waits for operation waiter"],
                queues: [queue]
            ) { server in
                let request = URLConnectionOperation(request: URLRequest(url: server.url("/ok")))
                request.name = "request"
                let waiter = BlockOperation {
                    queue.addOperation(request)
                    request.waitUntilFinished()
                }
                waiter.name = "waiter"
                queue.addOperation(waiter)
            }
        }
    }

    @Test func `a body's stream waits for main, and main for the upload`() async {
        await #expect(processExitsWith: .success) {
            try PlantedStall.mustName(["thread stalls waits"]) { server in
                final class MainStream: InputStream {
                    override var streamStatus: Stream.Status { .open }
                    override var streamError: (any Error)? { nil }
                    override var hasBytesAvailable: Bool { true }
                    override func open() {}
                    override func close() {}
                    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int
                    {
                        DispatchQueue.main.sync { 0 }
                    }
                }
                var request = URLRequest(url: server.url("/upload"))
                request.httpMethod = "POST"
                request.httpBodyStream = MainStream(data: Data())
                let operation = URLConnectionOperation(request: request)
                operation.networkThread = NetworkThread(name: "stalls")
                DispatchQueue.main.async {
                    operation.start()
                    operation.waitUntilFinished()
                }
            }
        }
    }

    @Test func `a decision block waits for another request of its thread`() async {
        await #expect(processExitsWith: .success) {
            try PlantedStall.mustName([
                "thread stalls waits",
                "in delegateCall connection(_:willPerformHTTPRedirection:newRequest:)",
            ]) { server in
                let thread = NetworkThread(name: "stalls")
                let operation = URLConnectionOperation(
                    request: URLRequest(url: server.url("/redirect")))
                operation.networkThread = thread
                operation.setRedirectResponseBlock { _, request, response in
                    guard response != nil else { return request }
                    let other = URLConnectionOperation(request: URLRequest(url: server.url("/ok")))
                    other.networkThread = thread
                    let hasEnded = DispatchSemaphore(value: 0)
                    other.completionBlock = { hasEnded.signal() }
                    other.start()
                    hasEnded.wait()
                    return request
                }
                operation.start()
            }
        }
    }

    @Test func `a serializer waits for main, and main for its object`() async {
        await #expect(processExitsWith: .success) {
            try PlantedStall.mustName(["in serialization"]) { server in
                final class MainSerializer: HTTPResponseSerializer, @unchecked Sendable {
                    // @unchecked because it adds nothing to the superclass.
                    override func responseObject(
                        for response: URLResponse?, data: Data?
                    ) -> SerializedResponse {
                        DispatchQueue.main.sync {
                            SerializedResponse(object: data, error: nil)
                        }
                    }
                }
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/ok")))
                operation.responseSerializer = MainSerializer()
                let hasResponse = DispatchSemaphore(value: 0)
                operation.completionQueue = DispatchQueue(label: "answers")
                operation.setCompletionBlock(
                    success: { _, _ in hasResponse.signal() },
                    failure: { _, _ in hasResponse.signal() })
                DispatchQueue.main.async {
                    operation.start()
                    hasResponse.wait()
                }
            }
        }
    }

    @Test func `a validation waits for the end of its own request`() async {
        await #expect(processExitsWith: .success) {
            try PlantedStall.mustName(["in callback"]) { server in
                let manager = RequestEra.SessionManager(configuration: .ephemeral)
                let isOver = DispatchSemaphore(value: 0)
                manager.request(server.url("/ok")).validate { _, _, _ in
                    isOver.wait()
                    return .success
                }.response { _ in isOver.signal() }
                withExtendedLifetime(manager) { _ = usleep(900_000) }
            }
        }
    }
}
