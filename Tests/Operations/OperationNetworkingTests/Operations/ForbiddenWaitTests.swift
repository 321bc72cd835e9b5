import CurlConnection
import TestSupport

@testable import OperationNetworking

@Suite("Waiting on the network thread", .timeLimit(.minutes(5)))
struct ForbiddenWaitTests {
    private let world = TestWorld()
    private let manager = OperationManager()

    /// What the caller waits for on the thread that has to do the work.
    enum Wait: Int, CaseIterable, Codable {
        case operation, download, manager, queue, added, endOfBatch
    }

    @Test(arguments: Wait.allCases)
    func `a wait on the network thread stops the process and says what to do`(
        _ wait: Wait
    ) async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [wait] in
            // Ends the process where the wait does not.
            alarm(20)
            let world = TestWorld()
            let manager = OperationManager()
            let operation = world.operation(world.gate("never"))
            let download = FileDownloadOperation(
                world.request("/ok"), to: URL(filePath: "/nowhere/at/all"))
            world.thread.perform(inModes: [.common]) {
                switch wait {
                case .operation:
                    operation.start()
                    operation.waitUntilFinished()
                case .download:
                    download.start()
                    download.waitUntilFinished()
                case .manager:
                    manager.enqueue(operation)
                    manager.waitUntilAllOperationsAreFinished()
                case .queue:
                    manager.enqueue(operation)
                    manager.operationQueue.waitUntilAllOperationsAreFinished()
                case .added:
                    manager.operationQueue.addOperations([operation], waitUntilFinished: true)
                case .endOfBatch:
                    let batch = URLConnectionOperation.batch(
                        of: [operation], progress: nil, completion: nil)
                    manager.operationQueue.addOperations(batch, waitUntilFinished: false)
                    batch.last?.waitUntilFinished()
                }
            }
            await Signal().wait()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("network thread") && text.contains("completion"))
    }

    @Test func `on the network thread one may wait for what has ended`() async {
        let operation = world.operation()
        await operation.run()
        let isOver = Signal()
        world.thread.perform(inModes: [.common]) { [manager] in
            operation.waitUntilFinished()
            manager.waitUntilAllOperationsAreFinished()
            manager.operationQueue.waitUntilAllOperationsAreFinished()
            isOver.fire()
        }
        await isOver.wait()
    }
}
