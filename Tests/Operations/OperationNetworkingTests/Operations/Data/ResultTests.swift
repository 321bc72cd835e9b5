import CurlConnection
import TestSupport

@testable import OperationNetworking

/// After its end an operation's results do not change, and so nobody waits for its lock to read them.
@Suite("Results without the lock", .timeLimit(.minutes(5)))
struct ResultTests {
    private let world = TestWorld()

    @Test func `after the end they are read while another thread holds the lock`() async {
        let operation = HTTPRequestOperation(request: world.request("/ok"))
        await end(of: operation)
        await whileItsLockIsHeld(operation) {
            #expect(operation.error == nil)
            #expect(operation.responseData == Data("hello world".utf8))
            #expect(operation.totalBytesRead == 11)
        }
    }

    @Test func `an error is, too`() async {
        let operation = HTTPRequestOperation(request: world.request("/ok"))
        operation.cancel()
        await end(of: operation)
        await whileItsLockIsHeld(operation) {
            #expect((operation.error as? URLError)?.code == .cancelled)
            #expect(operation.responseData == nil)
        }
    }

    @Test func `bytes are counted while another thread holds the lock`() async {
        let operation = world.operation(world.gate("counted", after: 5))
        // A cache would be asked for under the lock.
        operation.configuration.responseCache = nil
        let ended = operation.endSignal()
        let (begun, loaded) = (Signal(), Signal())
        operation.at(.data) { begun.fire() }
        operation.at(.loaded) { loaded.fire() }
        let hold = LifeHold()
        operation.start()
        await begun.wait(for: 1, "the first bytes")
        await world.settle()
        Thread.detachNewThread { operation.lock.withLock { hold.stop() } }
        await hold.isHeld.wait(for: 1, "the operation's lock")
        world.server.release("counted")
        // Its end waits for the lock, its bytes do not.
        await loaded.wait(for: 1, "the last byte")
        #expect(operation.totalBytesRead == 11)
        hold.release()
        await ended.wait()
        #expect(operation.error == nil)
    }

    private func end(of operation: URLConnectionOperation) async {
        operation.networkThread = world.thread
        await operation.run()
        await MainQueue.settle()
    }

    private func whileItsLockIsHeld(
        _ operation: URLConnectionOperation, _ body: @escaping @Sendable () -> Void
    ) async {
        let (hold, done) = (LifeHold(), Signal())
        Thread.detachNewThread { operation.lock.withLock { hold.stop() } }
        await hold.isHeld.wait(for: 1, "the operation's lock")
        Thread.detachNewThread {
            body()
            done.fire()
        }
        await done.wait(for: 1, "the results")
        hold.release()
    }
}
