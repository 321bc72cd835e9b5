import CurlConnection
import HTTPSemantics
import OperationNetworking
import TestSupport

@testable import DurableQueue

/// What a durable queue told of an entry.
struct Told: Sendable {
    var id: UUID
    var outcome: String
}

/// The queue's folder is made by the queue.
extension TestWorld {
    /// Answers all below `/in/`.
    static func durable() -> TestWorld {
        let world = TestWorld()
        world.server.add("/in/", isPrefix: true) { _ in .text("in") }
        return world
    }

    var queueFolder: URL { folder.appendingPathComponent("queue", isDirectory: true) }
    var file: URL { queueFolder.appendingPathComponent("queue.sqlite") }

    /// In the order in which they were told.
    var reported: Log<Told> { own { Log() } }

    func bytes() throws -> [UInt8] { try Array(Data(contentsOf: file)) }

    func post(_ path: String, _ method: String = "POST", body: Data? = nil) -> URLRequest {
        request(path, method, body: body)
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
            folder: queueFolder, manager: manager ?? self.manager(), options: options
        ) { [reported] entry, outcome in
            reported.add(Told(id: entry.id, outcome: Self.text(outcome)))
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

    var outcomes: [String] { reported.all.map(\.outcome) }

    /// The paths of the received requests.
    var paths: [String] { server.requests.map(\.path) }

    var keys: [String] { server.requests.map { $0.headers["Idempotency-Key"] ?? "-" } }
}

/// Waits until the entry's reason is the one expected; false when it never is.
func waits(
    _ queue: DurableQueue, _ id: UUID, _ fits: @escaping @Sendable (DurableEntry.Reason?) -> Bool
) async -> Bool {
    await waitUntil { queue.entries.contains { $0.id == id && fits($0.reason) } }
}

/// An entry with a body in its row.
func storedEntry(_ path: String, body: Int = 20) throws -> StoredEntry {
    var request = URLRequest(url: try #require(URL(string: "http://h.test/\(path)")))
    request.httpMethod = "POST"
    request.httpBody = generated(3, Int64(body))
    let id = UUID()
    return StoredEntry(
        id: id, request: RequestArchive(request), idempotencyKey: id.uuidString, key: "k",
        added: Date(timeIntervalSince1970: 1_700_000_000), expires: nil)
}
