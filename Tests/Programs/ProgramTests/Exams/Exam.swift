import OperationNetworking
import TestSupport

/// Everything runs one after the other: the programs look at main, at notifications, at memory.
@Suite("The compat exam", .serialized, .timeLimit(.minutes(5)))
enum CompatExam {}

/// One run of a program: its server, what it recorded, and the rules that every program keeps.
final class Exam: Sendable {
    /// The server of this package, when the program runs against it.
    let server: LoopbackServer?
    let base: URL
    let record = Watched(ExamRecord())

    private let exceptions = Watched(Exceptions())
    private let blocks = Watched<[WeakSentinel]>([])
    private let observers: Watched<[any NSObjectProtocol]> = Watched([])

    /// What a program does on purpose against a rule.
    struct Exceptions {
        /// Operations without success and failure blocks.
        var silent: Set<Int> = []
        /// Callbacks on a queue of the program's own.
        var otherQueue = false
        /// Codes of errors that 2.x had not.
        var codes: Set<Int> = []
        /// Domains of the program's own errors.
        var domains: Set<String> = []
    }

    private struct WeakSentinel: Sendable {
        weak var sentinel: Sentinel?
    }

    private final class Sentinel: Sendable {}

    private init(_ host: ExamHost) throws {
        switch host {
        case .loopback:
            let server = LoopbackServer(routes: .httpbin)
            try server.start()
            self.server = server
            base = server.baseURL
        case .httpbin(let url):
            server = nil
            base = url
        }
    }

    deinit {
        server?.stop()
    }

    /// Runs a program, and then looks whether it kept the rules.
    static func run(
        _ host: ExamHost = .loopback, sourceLocation: SourceLocation = #_sourceLocation,
        isolation: isolated (any Actor)? = #isolation, _ program: (Exam) async throws -> Void
    ) async throws {
        let exam = try Exam(host)
        exam.observe()
        defer { exam.observers.now.forEach(NotificationCenter.default.removeObserver) }
        try await program(exam)
        await exam.checkRules(sourceLocation)
    }

    // MARK: - What programs use

    func manager() -> HTTPRequestOperationManager {
        HTTPRequestOperationManager(baseURL: base)
    }

    /// The server of this package; for programs that run nowhere else.
    func loopback() throws -> LoopbackServer { try #require(server) }

    func url(_ path: String) -> URL {
        URL(string: path, relativeTo: base)?.absoluteURL ?? base
    }

    func request(_ path: String) -> URLRequest {
        URLRequest(url: url(path), timeoutInterval: 30)
    }

    /// A success block of the program's own that is also recorded.
    func success(
        _ more: (@Sendable (HTTPRequestOperation, Any?) -> Void)? = nil
    ) -> HTTPRequestOperationManager.Success {
        let sentinel = sentinel()
        return { [record] operation, object in
            withExtendedLifetime(sentinel) {}
            let outcome = ExamRecord.Outcome(object: object, error: nil)
            more?(operation, outcome.object)
            record.change { $0.end(operation, .success, outcome) }
        }
    }

    /// A failure block of the program's own that is also recorded.
    func failure(
        _ more: (@Sendable (HTTPRequestOperation?, any Error) -> Void)? = nil
    ) -> HTTPRequestOperationManager.Failure {
        let sentinel = sentinel()
        return { [record] operation, error in
            withExtendedLifetime(sentinel) {}
            more?(operation, error)
            let outcome = ExamRecord.Outcome(object: nil, error: error as NSError)
            record.change { $0.end(operation, .failure, outcome) }
        }
    }

    var success: HTTPRequestOperationManager.Success { success() }
    var failure: HTTPRequestOperationManager.Failure { failure() }

    /// Gives an operation blocks that are recorded.
    func watch(_ operation: HTTPRequestOperation) {
        let failure = failure
        operation.setCompletionBlock(success: success) { failure($0, $1) }
        number(operation)
    }

    /// Gives an operation the next number, where the order of making counts.
    func number(_ operation: HTTPRequestOperation?) {
        guard let operation else { return }
        record.change { _ = $0.number(of: operation) }
    }

    // MARK: - Exceptions

    func isSilent(_ operation: URLConnectionOperation?) {
        guard let operation else { return }
        let number = record.change { $0.number(of: operation) }
        exceptions.change { _ = $0.silent.insert(number) }
    }

    func allow(_ change: (inout Exceptions) -> Void) {
        exceptions.change(change)
    }

    // MARK: - Rules

    private func sentinel() -> any AnyObject & Sendable {
        let sentinel = Sentinel()
        blocks.change { $0.append(WeakSentinel(sentinel: sentinel)) }
        return sentinel
    }

    private func observe() {
        let names: [(Notification.Name, ExamRecord.Kind)] = [
            (.networkingOperationDidStart, .start), (.networkingOperationDidFinish, .finish),
        ]
        for (name, kind) in names {
            let observer = NotificationCenter.default.addObserver(
                forName: name, object: nil, queue: nil
            ) { [record, base] notification in
                guard let operation = notification.object as? URLConnectionOperation,
                    operation.request.url?.port == base.port
                else { return }
                record.change { $0.add(kind, operation) }
            }
            observers.change { $0.append(observer) }
        }
    }

    private func checkRules(_ place: SourceLocation) async {
        await record.wait(until: "a finish for each start", sourceLocation: place) { record in
            record.numbers.allSatisfy { number in
                let kinds = record.kinds(of: number)
                return kinds.count { $0 == .start } == kinds.count { $0 == .finish }
                    || !kinds.contains(.start)
            }
        }
        await MainQueue.settle()
        for violation in ExamRules(record: record.now, exceptions: exceptions.now).violations {
            Issue.record("\(violation).", sourceLocation: place)
        }
        await checkLeaks(place)
    }

    /// R5: no operation and no block lives on. Queues let go of them a moment after the last turn.
    private func checkLeaks(_ place: SourceLocation) async {
        for _ in 0..<1_000 {
            if record.now.living.isEmpty, blocks.now.allSatisfy({ $0.sentinel == nil }) { return }
            await withCheckedContinuation { continuation in
                DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(10)) {
                    continuation.resume()
                }
            }
        }
        let operations = record.now.living.map { "\($0.request.url?.absoluteString ?? "")" }
        let count = blocks.now.count { $0.sentinel != nil }
        Issue.record("R5: alive: \(operations), \(count) blocks", sourceLocation: place)
    }
}
