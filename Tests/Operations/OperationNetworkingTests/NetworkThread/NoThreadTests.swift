import CurlConnection
import TestSupport

@testable import OperationNetworking

/// A process that may have no more threads: the system refuses, and says so.
@Suite("A system without a thread to give", .timeLimit(.minutes(1)))
struct NoThreadTests {
    private let world = TestWorld()

    @Test func `each operation fails with an error that names it, until there is a thread again`()
        async
    {
        let refusals = Locked(3)
        let thread = NetworkThread(name: "refused") { body throws(ThreadUnavailable) in
            let isRefused = refusals.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
            if isRefused { throw ThreadUnavailable(EAGAIN) }
            try SystemThread.start(body)
        }
        // One was refused when the thread was made
        for _ in 0..<2 {
            let operation = world.plainOperation("/ok")
            operation.networkThread = thread
            await operation.run()
            let error = operation.error as? URLError
            #expect(error?.code == .resourceUnavailable)
            #expect(error?.localizedDescription.contains("RLIMIT_NPROC") == true)
            #expect((error?.underlyingError as? ThreadUnavailable)?.number == EAGAIN)
        }
        let operation = world.plainOperation("/ok")
        operation.networkThread = thread
        await operation.run()
        #expect(operation.error == nil && operation.responseString == "hello world")
    }
}
