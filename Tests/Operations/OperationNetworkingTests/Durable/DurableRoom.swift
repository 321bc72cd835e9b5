import CurlConnection
import HTTPSemantics
import TestSupport

@testable import OperationNetworking

/// A server, a folder and a clock for one test of a durable queue.
final class DurableRoom: Sendable {
    let server = LoopbackServer()
    let clock = TurnableClock()
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("durable-\(UUID().uuidString)", isDirectory: true)
    /// In the order in which they were told.
    let told = Log<Told>()

    struct Told: Sendable {
        var id: UUID
        var outcome: String
    }

    init() throws {
        try server.start()
        server.add("/in/", isPrefix: true) { _ in .text("in") }
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    var journal: URL { folder.appendingPathComponent("journal") }

    func bytes() throws -> [UInt8] { try Array(Data(contentsOf: journal)) }

    func request(_ path: String, _ method: String = "POST", body: Data? = nil) -> URLRequest {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = method
        request.httpBody = body
        return request
    }

    /// A manager as a new process would have it.
    func manager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.configuration.clock = clock.clock
        manager.completionQueue = DispatchQueue(label: "outcomes")
        return manager
    }

    /// Opens the folder's queue.
    func open(
        _ manager: HTTPRequestOperationManager? = nil,
        _ change: (inout DurableQueue.Options) -> Void = { _ in }
    ) async throws -> DurableQueue {
        var options = DurableQueue.Options()
        change(&options)
        return try await DurableQueue(
            folder: folder, manager: manager ?? self.manager(), options: options
        ) { [told] entry, outcome in
            told.add(Told(id: entry.id, outcome: Self.text(outcome)))
        }
    }

    private static func text(_ outcome: DurableOutcome) -> String {
        switch outcome {
        case .delivered(let response, _): "delivered \(response.statusCode)"
        case .refused(let response, _): "refused \(response.statusCode)"
        case .failed(let error): "failed \((error as NSError).code)"
        case .expired: "expired"
        }
    }

    var outcomes: [String] { told.all.map(\.outcome) }

    /// The paths of the received requests.
    var paths: [String] { server.requests.map(\.path) }

    var keys: [String] { server.requests.map { $0.headers["Idempotency-Key"] ?? "-" } }
}

/// The entry's reason, once it is that; nil when it never is.
func waits(
    _ queue: DurableQueue, _ id: UUID, _ fits: @escaping @Sendable (DurableEntry.Reason?) -> Bool
) async -> Bool {
    await aside {
        let limit = Date(timeIntervalSinceNow: patience)
        while Date() < limit {
            if let entry = queue.entries.first(where: { $0.id == id }), fits(entry.reason) {
                return true
            }
            usleep(2_000)
        }
        return false
    }
}
