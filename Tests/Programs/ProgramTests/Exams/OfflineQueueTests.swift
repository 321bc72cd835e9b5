import TestSupport

@testable import OperationNetworking

extension CompatExam {
    /// Tier D: program 38.
    @Suite("D: offline queue", .timeLimit(.minutes(5)))
    struct OfflineQueueTests {
        @Test
        func `38. Down: nothing new starts; up: all start in order`() async throws {
            try await Exam.run { exam in
                let server = try exam.loopback()
                let manager = exam.manager()
                let link = FakeLink()
                let reachability = link.manager
                manager.reachabilityManager = reachability
                manager.operationQueue.maxConcurrentOperationCount = 1
                let statuses = Watched<[NetworkReachabilityStatus]>([])
                let queue = manager.operationQueue
                reachability.setReachabilityStatusChangeBlock { status in
                    #expect(MainQueue.isCurrent)
                    queue.isSuspended =
                        status != .reachableViaWiFi && status != .reachableViaWWAN
                    statuses.change { $0.append(status) }
                }
                #expect(reachability.status == .unknown && statuses.now.isEmpty)
                reachability.startMonitoring()
                await statuses.wait(until: "the present status") { $0 == [.reachableViaWiFi] }

                let path = exam.gate("link")
                for _ in 0..<6 {
                    exam.number(
                        manager.get(path, success: exam.success, failure: exam.failure))
                }
                await exam.reached("link")
                link.tell(isUp: false)
                await statuses.wait(until: "down") { $0.last == .notReachable }
                server.release("link", count: 1)
                #expect(await exam.outcomes(1).allSatisfy { $0.error == nil })
                await MainQueue.settle()
                #expect(server.statistics.requests == 1)
                #expect(manager.operations.count { !$0.isFinished } == 5)

                server.release("link")
                link.tell(isUp: true)
                #expect(await exam.outcomes(6).allSatisfy { $0.error == nil })
                exam.expectStartsInOrder(width: 1)
                #expect(statuses.now == [.reachableViaWiFi, .notReachable, .reachableViaWiFi])
                reachability.stopMonitoring()
            }
        }

        @Test
        func `38. The system's own status is told on main soon after the start`() async {
            let manager = NetworkReachabilityManager(domain: "127.0.0.1")
            let reported = Watched<[NetworkReachabilityStatus]>([])
            #expect(manager.status == .unknown)
            manager.setReachabilityStatusChangeBlock { status in
                #expect(MainQueue.isCurrent)
                reported.change { $0.append(status) }
            }
            manager.startMonitoring()
            await reported.wait(until: "the first report") { !$0.isEmpty }
            #expect(reported.now.last == manager.status)
            manager.stopMonitoring()
        }

        @Test
        func `38. Ten parallel 401s: one refresh, ten replays, ten successes`() async throws {
            try await Exam.run { exam in
                let server = try exam.loopback()
                let client = TokenClient(baseURL: exam.base)
                client.operationQueue.isSuspended = true
                for _ in 0..<10 {
                    exam.isSilent(
                        client.get("x/secret", success: exam.success, failure: exam.failure))
                }
                client.operationQueue.isSuspended = false
                await exam.record.wait(until: "ten successes") {
                    $0.order(of: .success).count == 10
                }
                #expect(exam.record.now.outcomes.count == 10)
                #expect(
                    exam.record.now.outcomes.values.allSatisfy {
                        $0.value("secret") as? Bool == true
                    })
                await exam.record.wait(until: "the refresh's end") {
                    $0.order(of: .finish).count == 21
                }
                exam.isSilent(client.refreshes.now.first)
                client.refreshes.change { $0 = [] }
                let requests = server.requests
                #expect(requests.count { $0.path == "/x/token" } == 1)
                #expect(requests.count { $0.path == "/x/secret" } == 20)
                #expect(
                    requests.count { $0.headers["Authorization"] == "Token token-1" } == 10)
            }
        }
    }
}

/// A link that a test takes up and down, up at first.
private final class FakeLink: ReachabilityMonitor {
    private let report = Watched<(@Sendable (NetworkReachabilityStatus) -> Void)?>(nil)

    /// A manager that hears of this link alone.
    var manager: NetworkReachabilityManager {
        NetworkReachabilityManager(target: .general, center: NotificationCenter()) { _ in self }
    }

    func start(_ report: @escaping @Sendable (NetworkReachabilityStatus) -> Void) {
        self.report.change { $0 = report }
        DispatchQueue.global().async { self.tell(isUp: true) }
    }

    func stop() {
        report.change { $0 = nil }
    }

    func tell(isUp: Bool) {
        report.now?(isUp ? .reachableViaWiFi : .notReachable)
    }
}

/// Replays what came back with 401, after one refresh of the token.
private final class TokenClient: HTTPRequestOperationManager, @unchecked Sendable {
    // @unchecked because it restates the superclass; its variables have locks of their own.
    private struct Replay: Sendable {
        let request: URLRequest
        let success: Success?
        let failure: Failure?
    }

    private struct State: Sendable {
        var token = "none"
        var isRefreshing = false
        var waiting: [Replay] = []
    }

    let refreshes = Watched<[HTTPRequestOperation]>([])
    private let state = Watched(State())

    override func httpRequestOperation(
        with request: URLRequest, success: Success?, failure: Failure?
    ) -> HTTPRequestOperation {
        let token = state.now.token
        var signed = request
        signed.setValue("Token \(token)", forHTTPHeaderField: "Authorization")
        let replay = Replay(request: request, success: success, failure: failure)
        return super.httpRequestOperation(
            with: signed, success: success,
            failure: { [weak self] operation, error in
                if operation?.response?.statusCode == 401, let self {
                    self.replay(replay, refused: token)
                } else {
                    failure?(operation, error)
                }
            })
    }

    private func replay(_ replay: Replay, refused token: String) {
        enum Next { case wait, refresh, again }
        let next: Next = state.change { state in
            // One that left with an old token needs no refresh of its own.
            if state.token != token { return .again }
            state.waiting.append(replay)
            defer { state.isRefreshing = true }
            return state.isRefreshing ? .wait : .refresh
        }
        switch next {
        case .wait: break
        case .refresh: refresh()
        case .again: send(replay)
        }
    }

    private func send(_ replay: Replay) {
        enqueue(
            httpRequestOperation(
                with: replay.request, success: replay.success, failure: replay.failure))
    }

    private func refresh() {
        operationQueue.isSuspended = true
        let other = HTTPRequestOperationManager(baseURL: baseURL)
        let operation = other.post("x/token") { [self] _, object in
            let token = (object as? [String: String])?["token"] ?? "none"
            let waiting = state.change { state in
                defer { state = State(token: token) }
                return state.waiting
            }
            operationQueue.isSuspended = false
            waiting.forEach(send)
        }
        refreshes.change { $0.append(contentsOf: [operation].compactMap { $0 }) }
    }
}
