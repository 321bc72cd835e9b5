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
                let logger = ActivityLogger(exam.base, .info)
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

        @Test
        func `32. Levels and a filter`() async throws {
            try await Exam.run { exam in
                let errors = ActivityLogger(exam.base, .error)
                let some = ActivityLogger(exam.base, .info) { $0.url?.path != "/get" }
                let off = ActivityLogger(exam.base, .off)
                let all = ActivityLogger(exam.base, .debug)
                let manager = exam.manager()
                let good = manager.get("get", success: exam.success, failure: exam.failure)
                try await exam.expectSuccess(of: good)
                let bad = manager.post("x/drop-after", success: exam.success, failure: exam.failure)
                let code = try await exam.error(of: bad).code
                await all.lines.wait(until: "the last line") { $0.count == 4 }
                // The others hear in the same turn of main, in no order of theirs.
                await MainQueue.settle()
                let url = exam.url("x/drop-after")
                #expect(errors.lines.now == ["[Error] \(code) \(url)"])
                #expect(some.lines.now == ["POST \(url)", "[Error] \(code) \(url)"])
                #expect(off.lines.now.isEmpty)
                let accept = all.lines.now.first?.contains("Accept-Language")
                #expect(accept == true && all.lines.now.count == 4)
            }
        }

        @Test
        func `32. A pause posts finish, a resume posts start again`() async throws {
            try await Exam.run { exam in
                let logger = ActivityLogger(exam.base, .info)
                let indicator = IndicatorWatch(exam.base)
                let operation = try #require(
                    exam.manager().get(
                        exam.gate("pause"), success: exam.success, failure: exam.failure))
                await exam.reached("pause")
                operation.pause()
                await logger.lines.wait(until: "the finish at the pause") { $0.count == 2 }
                await exam.record.wait(until: "the same in the record") {
                    $0.events.map(\.kind) == [.start, .finish]
                }
                await indicator.expectRest()
                // A result that comes before the pause takes effect would count.
                await withCheckedContinuation { goOn in
                    NetworkThread.shared.perform(inModes: [.common]) { goOn.resume() }
                }
                operation.resume()
                try exam.loopback().release("pause")
                try await exam.expectSuccess(of: operation)
                await logger.lines.wait(until: "the last finish") { $0.count == 4 }
                await exam.record.wait(until: "the same in the record") { record in
                    record.events.map(\.kind).filter { $0 != .success }
                        == [.start, .finish, .start, .finish]
                }
                await indicator.expectRest()
            }
        }

        @Test
        func `32. Cancelled before the start, the count stays 0`() async throws {
            try await Exam.run { exam in
                let indicator = IndicatorWatch(exam.base)
                let manager = exam.manager()
                manager.operationQueue.isSuspended = true
                let operation = manager.get("get", success: exam.success, failure: exam.failure)
                operation?.cancel()
                manager.operationQueue.isSuspended = false
                let error = try await exam.error(of: operation)
                #expect(error.code == NSURLErrorCancelled)
                await exam.record.wait(until: "the finish") { !$0.order(of: .finish).isEmpty }
                await indicator.expectRest()
                #expect(indicator.shown.now.isEmpty)
            }
        }

        @Test
        func `32. Gaps shorter than 0.17 s do not flicker`() async throws {
            try await Exam.run { exam in
                let server = try exam.loopback()
                let indicator = IndicatorWatch(exam.base)
                let manager = exam.manager()
                for name in ["first", "second", "third"] {
                    let operation = manager.get(
                        exam.gate(name), success: exam.success, failure: exam.failure)
                    await exam.reached(name)
                    // The delay that began in the gap is over now, and shall hide nothing.
                    await indicator.runPlans()
                    #expect(indicator.shown.now == [true])
                    server.release(name)
                    try await exam.expectSuccess(of: operation)
                    await MainQueue.settle()
                    #expect(!indicator.clock.alarms.isEmpty && indicator.shown.now == [true])
                    #expect(indicator.clock.alarms.allSatisfy { $0 == 0.17 })
                }
                await indicator.runPlans()
                #expect(indicator.shown.now == [true, false])
            }
        }
    }
}

/// Logs operations by what the two notifications bring; levels as activity loggers had them.
private final class ActivityLogger: Sendable {
    enum Level: Int, Sendable {
        case debug, info, warn, error, off
    }

    let lines = Watched<[String]>([])
    /// Seconds from each start to its finish.
    let elapsed = Watched<[TimeInterval]>([])
    private let starts = Watched<[ObjectIdentifier: Date]>([:])
    private let watch = OperationWatch()

    init(
        _ base: URL, _ level: Level,
        filter: @escaping @Sendable (URLRequest) -> Bool = { _ in true }
    ) {
        watch.observe(base) { [weak self] name, operation in
            guard filter(operation.request) else { return }
            if name == .networkingOperationDidStart {
                self?.started(operation, level)
            } else {
                self?.finished(operation, level)
            }
        }
    }

    private func started(_ operation: HTTPRequestOperation, _ level: Level) {
        starts.change { $0[ObjectIdentifier(operation)] = Date() }
        guard level.rawValue <= Level.info.rawValue else { return }
        let request = operation.request
        var line = "\(request.httpMethod ?? "") \(request.url?.absoluteString ?? "")"
        if level == .debug { line += " \(request.allHTTPHeaderFields ?? [:])" }
        lines.change { $0.append(line) }
    }

    private func finished(_ operation: HTTPRequestOperation, _ level: Level) {
        if let start = starts.change({ $0.removeValue(forKey: ObjectIdentifier(operation)) }) {
            elapsed.change { $0.append(Date().timeIntervalSince(start)) }
        }
        let url = operation.request.url?.absoluteString ?? ""
        if let error = operation.error as NSError? {
            guard level.rawValue <= Level.error.rawValue else { return }
            lines.change { $0.append("[Error] \(error.code) \(url)") }
        } else {
            guard level.rawValue <= Level.info.rawValue else { return }
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
