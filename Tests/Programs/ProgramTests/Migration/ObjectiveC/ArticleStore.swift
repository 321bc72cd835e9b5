import Foundation
import FoundationNetworking
import OperationNetworking
import Synchronization

// snippet: begin
@MainActor
protocol ArticleStoreDelegate: AnyObject {
    func articleStore(_ store: ArticleStore, didLoad titles: [String])
    func articleStore(_ store: ArticleStore, didFailWith error: any Error)
}

final class ArticleStore: Sendable {
    static let shared = ArticleStore(baseURL: URL(string: "http://api.example.com/v1/"))

    @MainActor weak var delegate: (any ArticleStoreDelegate)?
    private let manager: HTTPRequestOperationManager
    private let running = Mutex<[ObjectIdentifier: HTTPRequestOperation]>([:])

    init(baseURL: URL?) {
        manager = HTTPRequestOperationManager(baseURL: baseURL)
    }

    func load(section: String) throws -> ObjectIdentifier {
        let address = URL(string: "articles", relativeTo: manager.baseURL)?.absoluteString
        let request = try manager.requestSerializer.request(
            method: "GET", urlString: address ?? "", parameters: ["section": section])
        let operation = manager.httpRequestOperation(with: request) { operation, object in
            let articles = object as? [[String: Any]] ?? []
            let titles = articles.compactMap { $0["title"] as? String }
            self.forget(operation)
            MainActor.assumeIsolated { self.delegate?.articleStore(self, didLoad: titles) }
        } failure: { operation, error in
            self.forget(operation)
            MainActor.assumeIsolated { self.delegate?.articleStore(self, didFailWith: error) }
        }
        let key = ObjectIdentifier(operation)
        running.withLock { $0[key] = operation }
        manager.enqueue(operation)
        return key
    }

    func cancel(_ key: ObjectIdentifier) {
        let operation = running.withLock { $0[key] }
        operation?.cancel()
    }

    private func forget(_ operation: HTTPRequestOperation?) {
        guard let operation else { return }
        running.withLock { $0[ObjectIdentifier(operation)] = nil }
    }
}
// snippet: end
