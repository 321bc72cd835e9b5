import FoundationNetworking
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("What a session delegate hears before its requests", .timeLimit(.minutes(1)))
struct InterestTests {
    private final class Heir: SessionDelegate, @unchecked Sendable {
        // @unchecked because it adds nothing.
    }

    private static let kinds: [TaskInterest] = [
        .redirect, .challenge, .body, .disposition, .store, .sent, .response, .resumed, .data,
        .wrote, .becameDownload, .file, .metrics, .ended,
    ]

    private static func heard(by delegate: SessionDelegate) -> [TaskInterest] {
        kinds.filter { delegate.handles($0) }
    }

    @Test func `nothing without a closure, all where it is inherited from`() {
        #expect(Self.heard(by: SessionDelegate()).isEmpty)
        let heir = Heir()
        #expect(Self.heard(by: heir) == Self.kinds)
        heir.dataTaskDidReceiveData = { _, _, _ in }
        heir.dataTaskDidReceiveData = nil
        #expect(Self.heard(by: heir) == Self.kinds)
    }

    @Test func `what a closure is about, until both of its kind are gone`() {
        let delegate = SessionDelegate()
        delegate.dataTaskDidReceiveData = { _, _, _ in }
        delegate.taskWillPerformHTTPRedirection = { _, _, _, request in request }
        delegate.taskWillPerformHTTPRedirectionWithCompletion = { $4($3) }
        #expect(Self.heard(by: delegate) == [.redirect, .data])
        delegate.dataTaskDidReceiveData = nil
        delegate.taskWillPerformHTTPRedirection = nil
        #expect(Self.heard(by: delegate) == [.redirect])
        delegate.taskWillPerformHTTPRedirectionWithCompletion = nil
        #expect(Self.heard(by: delegate).isEmpty)
        delegate.sessionDidReceiveChallenge = { _, _ in (.performDefaultHandling, nil) }
        #expect(Self.heard(by: delegate) == [.challenge])
    }

    @Test func `a request does its work itself, and no URLSession is made, until a closure is set`()
        async throws
    {
        let world = TestWorld.requests()
        #expect(await world.get("/bytes/4000").ended().data?.count == 4000)
        #expect(world.manager.taskSession.madeURLSession == nil)
        let sizes = Log<Int>()
        world.delegate.dataTaskDidReceiveData = { _, _, data in sizes.add(data.count) }
        #expect(await world.get("/bytes/4000").ended().data?.isEmpty ?? true)
        #expect(sizes.all.reduce(0, +) == 4000)
        #expect(world.manager.taskSession.madeURLSession != nil)
    }
}
