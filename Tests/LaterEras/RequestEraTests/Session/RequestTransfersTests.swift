import OperationNetworking
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Transfers of a session manager", .timeLimit(.minutes(1)))
struct RequestTransfersTests {
    private struct End {
        let response: URLResponse?
        let error: (any Error)?
    }

    private let serializer = HTTPResponseSerializer()

    @Test(arguments: [false, true])
    func `a transfer that is cancelled before its start ends, also one without a task`(
        _ adapterThrows: Bool
    ) async throws {
        let world = TestWorld.requests()
        if adapterThrows {
            world.manager.adapter = Adapter { _ in throw PlainError(tag: "no token") }
        }
        let transfers = RequestTransfers(world.manager, responseSerializer: serializer)
        let (ends, gone) = (Log<End>(), Signal())
        let sentinel = Sentinel(gone)
        let request = world.request("/ok")
        var handle: (any TransferHandle)? = transfers.transfer(for: request) {
            [sentinel] response, _, error in
            sentinel.touch()
            ends.add(End(response: response, error: error))
        }
        _ = consume sentinel
        handle?.cancel()
        handle?.cancel()
        #expect(await ends.reaches(1))
        handle?.start()
        handle = nil
        // The manager does not retain the request any more, nor its handler.
        await gone.wait()
        #expect(ends.all.count == 1 && ends.all[0].response == nil)
        let error = try #require(ends.all[0].error)
        if adapterThrows {
            #expect((error as? PlainError)?.tag == "no token")
        } else {
            #expect(error.code == URLError.Code.cancelled.rawValue)
        }
        #expect(world.server.requests.isEmpty)
    }
}
