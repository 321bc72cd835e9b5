import TestSupport

@testable import OperationNetworking

extension CompatExam {
    /// Tier D: program 32.
    @Suite("D: watching from outside", .timeLimit(.minutes(5)))
    struct WatchingTests {
        @Test(
            arguments: ExamHost.all)
        func `32. Success, failure and cancel: one start and one finish each`(host: ExamHost)
            async throws
        {
            try await Exam.run(host) { exam in
                let logger = ActivityLogger(exam.base)
                let indicator = IndicatorWatch(exam.base)
                let manager = exam.manager()
                let good = manager.get("get", success: exam.success, failure: exam.failure)
                try await exam.expectSuccess(of: good)
                let bad = manager.get("status/404", success: exam.success, failure: exam.failure)
                _ = try await exam.error(of: bad)
                let slow = manager.get("delay/5", success: exam.success, failure: exam.failure)
                await logger.lines.wait(until: "the third start") { $0.count == 5 }
                slow?.cancel()
                _ = try await exam.error(of: slow)
                await logger.lines.wait(until: "the third finish") { $0.count == 6 }
                // Whether the response was serialized before or after the notification of the end is
                // open in the original too: the error of a status exists once it was.
                let bad404 = ["404", "[Error] \(NSURLErrorBadServerResponse)"].map {
                    "\($0) \(exam.url("status/404"))"
                }
                let lines = logger.lines.now
                #expect(lines.count == 6 && bad404.contains(lines[3]), "\(lines)")
                #expect(
                    lines.prefix(3) == [
                        "GET \(exam.url("get"))", "200 \(exam.url("get"))",
                        "GET \(exam.url("status/404"))",
                    ])
                #expect(
                    lines.suffix(2) == [
                        "GET \(exam.url("delay/5"))", "[Error] -999 \(exam.url("delay/5"))",
                    ])
                #expect(logger.elapsed.now.count == 3 && logger.elapsed.now.allSatisfy { $0 >= 0 })
                await indicator.expectRest()
            }
        }
    }
}

/// Logs operations by what the two notifications bring.
private final class ActivityLogger: Sendable {
    let lines = Watched<[String]>([])
    /// Seconds from each start to its finish.
    let elapsed = Watched<[TimeInterval]>([])
    private let starts = Watched<[ObjectIdentifier: Date]>([:])
    private let watch = OperationWatch()

    init(_ base: URL) {
        watch.observe(base) { [weak self] name, operation in
            if name == .networkingOperationDidStart {
                self?.started(operation)
            } else {
                self?.finished(operation)
            }
        }
    }

    private func started(_ operation: HTTPRequestOperation) {
        starts.change { $0[ObjectIdentifier(operation)] = Date() }
        let request = operation.request
        let line = "\(request.httpMethod ?? "") \(request.url?.absoluteString ?? "")"
        lines.change { $0.append(line) }
    }

    private func finished(_ operation: HTTPRequestOperation) {
        if let start = starts.change({ $0.removeValue(forKey: ObjectIdentifier(operation)) }) {
            elapsed.change { $0.append(Date().timeIntervalSince(start)) }
        }
        let url = operation.request.url?.absoluteString ?? ""
        if let error = operation.error as NSError? {
            lines.change { $0.append("[Error] \(error.code) \(url)") }
        } else {
            lines.change { $0.append("\(operation.response?.statusCode ?? 0) \(url)") }
        }
    }
}

/// Hears of the operations that ask one host.
private final class OperationWatch: Sendable {
    private let observers = Watched<[any NSObjectProtocol]>([])

    func observe(
        _ base: URL, _ hear: @escaping @Sendable (Notification.Name, HTTPRequestOperation) -> Void
    ) {
        for name in [Notification.Name.networkingOperationDidStart, .networkingOperationDidFinish] {
            let observer = NotificationCenter.default.addObserver(
                forName: name, object: nil, queue: nil
            ) { notification in
                guard let operation = notification.object as? HTTPRequestOperation,
                    operation.request.url?.port == base.port
                else { return }
                hear(name, operation)
            }
            observers.change { $0.append(observer) }
        }
    }

    deinit {
        observers.now.forEach(NotificationCenter.default.removeObserver)
    }
}

/// An indicator whose plans to hide are carried out by the test.
private final class IndicatorWatch: Sendable {
    /// Brings it the operations of this exam alone.
    private let center = NotificationCenter()
    private let watch = OperationWatch()
    let shown = Watched<[Bool]>([])
    let clock = TurnableClock()
    private let manager: NetworkActivityManager

    init(_ base: URL) {
        manager = NetworkActivityManager(center: center, clock: clock.clock)
        manager.isEnabled = true
        manager.setVisibilityChangeBlock { [shown] isShown in
            #expect(MainQueue.isCurrent)
            shown.change { $0.append(isShown) }
        }
        watch.observe(base) { [center] in center.post(name: $0, object: $1) }
    }

    func runPlans() async {
        await MainQueue.settle()
        while clock.turnToNext() {}
        await MainQueue.settle()
    }

    /// Nothing is under way, and once the plans are carried out, nothing is shown.
    func expectRest(sourceLocation: SourceLocation = #_sourceLocation) async {
        await runPlans()
        #expect(!manager.isNetworkActivityIndicatorVisible, sourceLocation: sourceLocation)
        #expect(shown.now.last != true, sourceLocation: sourceLocation)
        let turns = shown.now.indices.map { $0.isMultiple(of: 2) }
        #expect(shown.now == turns, sourceLocation: sourceLocation)
    }
}
