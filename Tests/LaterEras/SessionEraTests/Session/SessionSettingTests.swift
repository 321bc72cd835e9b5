import CurlConnection
import HTTPSemantics
import OperationNetworking
import SessionEra
import SessionTasks
import TestSupport

@Suite("Settings of a session that are replaced", .timeLimit(.minutes(1)))
struct SessionSettingTests {
    private final class Delegate: TaskSessionDelegate {}

    /// A caller's, which asks the session as it goes.
    private final class Credential: URLCredential, @unchecked Sendable {
        // @unchecked because it is constant.
        private let asking: AskingAtEnd

        init(_ asking: AskingAtEnd) {
            self.asking = asking
            super.init(user: "u", password: "p", persistence: .forSession)
        }

        required init?(coder: NSCoder) { nil }
    }

    @Test func `what they hold goes under no lock`() async {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = TaskSession(
            configuration: .ephemeral, delegate: Delegate(),
            delegateQueue: queue)
        defer { session.invalidateAndCancel() }
        let answers = Log<Bool>()
        let asking = { @Sendable in AskingAtEnd(answers) { _ = session.options.current } }
        await onNewThread {
            var connection = URLConnectionConfiguration()
            connection.credentialStorage = CredentialStorage()
            connection.credentialStorage?.set(
                Credential(asking()),
                for: URLProtectionSpace(
                    host: "a", port: 80, protocol: "http", realm: nil,
                    authenticationMethod: NSURLAuthenticationMethodHTTPBasic))
            session.options.change { $0.connection = connection }
            connection = URLConnectionConfiguration()
            session.options.change { $0.connection = nil }
            // A clock has what waits for it.
            session.options.change { $0.clock = Self.clock(asking()) }
            session.options.change { $0.clock = .system }
        }
        #expect(answers.all == [true, true])
    }

    @Test(arguments: [false, true])
    func `a retry policy stays where a connection's configuration is set after it`(
        _ hasSession: Bool
    ) {
        let manager = URLSessionManager(sessionConfiguration: .ephemeral)
        if hasSession { _ = manager.session }
        manager.retryPolicy = RetryPolicy()
        manager.connectionConfiguration = URLConnectionConfiguration()
        #expect(manager.retryPolicy != nil)
        #expect(manager.connectionConfiguration?.retryPolicy != nil)
        manager.session.invalidateAndCancel()
    }

    private static func clock(_ asking: AskingAtEnd) -> NetworkClock {
        let clock = TurnableClock().clock
        clock.wakeUp(after: 60) { asking.touch() }
        return clock
    }
}

@Suite("Steps of tasks and a full pool", .serialized, .timeLimit(.minutes(2)))
struct SessionStepTests {
    @Test func `tasks of a manager end while a program's blocks fill that pool`() async {
        await #expect(processExitsWith: .success) {
            let world = TestWorld.sessions()
            let end = DispatchSemaphore(value: 0)
            let full = DispatchSemaphore(value: 0)
            for _ in 0..<64 { DispatchQueue.global().async { full.wait() } }
            world.manager.completionQueue = DispatchQueue(label: "completion")
            world.manager.dataTask(with: world.request("/get")) { _, _, error in
                if error == nil { end.signal() }
            }.resume()
            #expect(end.wait(timeout: .now() + 20) == .success)
        }
    }
}
