import CurlConnection
import TestSupport

@testable import OperationNetworking

/// A copy that is made after the end, as code that tries again makes it, is as strict as its original.
@Suite("Copies of an operation that has ended", .timeLimit(.minutes(5)))
struct LateCopyTests {
    private let world = TestWorld()

    private func run(_ operation: URLConnectionOperation) async {
        let end = operation.endSignal()
        operation.start()
        await end.wait()
        // Whatever the end lets go of is gone after this.
        await world.settle()
        await MainQueue.settle()
    }

    private func copy(of operation: LifeOperation) throws -> LifeOperation {
        try #require(operation.copy() as? LifeOperation)
    }

    /// When the block is set that decides.
    @Test(arguments: [true, false])
    func `what a challenge block refused is refused again`(isSetLate: Bool) async throws {
        let operation = world.operation("/basic")
        operation.credential = URLCredential(user: "user", password: "pass", persistence: .none)
        let refuse = { @Sendable (_: URLConnection, challenge: URLAuthenticationChallenge) in
            challenge.sender?.cancel(challenge) ?? ()
        }
        if !isSetLate {
            operation.setWillSendRequestForAuthenticationChallengeBlock(refuse)
        }
        await run(operation)
        #expect((operation.error == nil) == isSetLate)
        if isSetLate {
            operation.setWillSendRequestForAuthenticationChallengeBlock(refuse)
        }
        let copy = try copy(of: operation)
        await run(copy)
        #expect((copy.error as? URLError)?.code == .userCancelledAuthentication)
        // And a copy of the copy.
        let another = try self.copy(of: copy)
        await run(another)
        #expect((another.error as? URLError)?.code == .userCancelledAuthentication)
    }

    @Test func `a redirect that a block forbade is not followed`() async throws {
        let operation = world.operation("/redirect?to=/ok&status=302")
        operation.setRedirectResponseBlock { _, request, response in
            response == nil ? request : nil
        }
        await run(operation)
        let copy = try copy(of: operation)
        await run(copy)
        for one in [operation, copy] {
            #expect((one.response as? HTTPURLResponse)?.statusCode == 302)
        }
        #expect(!world.server.requests.contains { $0.path == "/ok" })
    }

    @Test func `an answer that a block kept out of the cache is kept out`() async throws {
        world.server.add("/fresh") { _ in
            .text("one", headers: [("Cache-Control", "max-age=1000")])
        }
        let operation = world.operation("/fresh")
        operation.configuration.responseCache = try ResponseCache(memoryCapacity: 1 << 20)
        operation.setCacheResponseBlock { _, _ in nil }
        await run(operation)
        for _ in 0..<2 {
            let copy = try copy(of: operation)
            await run(copy)
            #expect(copy.responseString == "one")
        }
        #expect(world.server.requests.count == 3)
    }

    @Test func `blocks that only tell are gone with the end`() async throws {
        let gone = Signal()
        let operation = world.operation("/ok")
        operation.setDownloadProgressBlock { [held = Sentinel(gone)] _, _, _ in held.touch() }
        operation.setUploadProgressBlock { [held = Sentinel(gone)] _, _, _ in held.touch() }
        await run(operation)
        await gone.wait(for: 2, "both progress blocks to be freed")
        await run(try copy(of: operation))
    }

    @Test func `blocks that decide go with the operation`() async {
        let gone = Signal()
        do {
            let operation = world.operation("/ok")
            operation.setRedirectResponseBlock { [held = Sentinel(gone)] _, request, _ in
                held.touch()
                return request
            }
            await run(operation)
            #expect(gone.count == 0)
        }
        await gone.wait(for: 1, "the block to be freed")
    }
}
