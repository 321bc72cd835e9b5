import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking

/// `HTTPRequestOperationManager.get` with its completion on a private queue.
class ManagerRival: Rival, @unchecked Sendable {
    // @unchecked because everything is set once, and the manager is safe from any thread.
    fileprivate let manager: HTTPRequestOperationManager
    fileprivate let address: String

    required init(_ assignment: Assignment) {
        manager = HTTPRequestOperationManager(baseURL: nil)
        address = assignment.url.absoluteString
        if !assignment.isPlain {
            manager.maxConcurrentOperationCount = assignment.atOnce
            manager.configuration = .measured(assignment)
        }
        manager.responseSerializer =
            assignment.isJSON ? JSONResponseSerializer() : HTTPResponseSerializer()
        if assignment.closes {
            manager.requestSerializer.setValue("close", forHTTPHeaderField: "Connection")
        }
        manager.completionQueue = completionQueue
    }

    var completionQueue: DispatchQueue? { DispatchQueue(label: "completion") }

    func runMany(_ assignment: Assignment, into outcome: inout Outcome) {
        ClosedLoop(self, atOnce: assignment.atOnce).run(assignment, into: &outcome)
    }

    func get(_ ended: @escaping @Sendable (Reply) -> Void) {
        manager.get(address) { operation, object in
            let body = operation.responseData
            ended(
                Reply(isGood: true, byteCount: body?.count ?? 0, body: body, object: object))
        } failure: { _, error in
            ended(Reply(error))
        }
    }

    func hold(_ isHeld: Bool) {
        manager.isSuspended = isHeld
    }

    func cancelAll() {
        manager.cancelAllOperations()
    }

    func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void) {
        run(ended) { operation in
            operation.outputStream =
                path.map { OutputStream(toFileAtPath: $0, append: false) }
                ?? CountingStream(toMemory: ())
        }
    }

    func up(from path: String, _ ended: @escaping @Sendable (Reply) -> Void) {
        run(ended) { operation in
            operation.request = .uploading(from: path, to: operation.request)
        }
    }

    private func run(
        _ ended: @escaping @Sendable (Reply) -> Void, _ prepare: (HTTPRequestOperation) -> Void
    ) {
        guard let url = URL(string: address) else { return }
        let operation = manager.httpRequestOperation(with: URLRequest(url: url)) { operation, _ in
            ended(Reply(isGood: true, byteCount: Int(operation.totalBytesRead)))
        } failure: { _, error in
            ended(Reply(error))
        }
        prepare(operation)
        manager.enqueue(operation)
    }
}

/// The same with its completion on main.
final class ManagerOnMainRival: ManagerRival, @unchecked Sendable {
    // @unchecked because it adds nothing.
    override var completionQueue: DispatchQueue? { nil }
}

/// `HTTPRequestOperationManager.download`: hashed, kept through a kill, and there when it is whole.
final class ManagerDownloadRival: ManagerRival, @unchecked Sendable {
    // @unchecked because it adds nothing.
    override func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void) {
        guard let path else { return ended(Reply(isGood: false)) }
        manager.download(
            address, to: URL(filePath: path),
            completion: { result in
                switch result {
                case .success(let file): ended(Reply(isGood: true, byteCount: Int(file.length)))
                case .failure(let error): ended(Reply(error))
                }
            })
    }
}

extension Reply {
    init(_ error: any Error) {
        self.init(isGood: false)
        if (error as? URLError)?.code != .cancelled { Complaint.once("\(error)") }
    }
}

/// The first thing that went wrong, told once.
enum Complaint {
    private static let only = Countdown(1) {}

    static func once(_ text: String) {
        only.ifFirst { FileHandle.standardError.write(Data("bench-client: \(text)\n".utf8)) }
    }
}

extension URLConnectionConfiguration {
    /// As for the other rivals: no cookies, no cache, as many connections as requests.
    static func measured(_ assignment: Assignment) -> URLConnectionConfiguration {
        var configuration = URLConnectionConfiguration()
        configuration.cookieStorage = nil
        configuration.responseCache = nil
        configuration.credentialStorage = nil
        let connections = max(assignment.atOnce, assignment.kind == .cancel ? assignment.count : 0)
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.maximumConnections = max(connections, 256)
        return configuration
    }
}

extension URLRequest {
    /// A PUT whose body is read from a file, through a stream.
    static func uploading(from path: String, to request: URLRequest) -> URLRequest {
        var request = request
        let length = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(fileAtPath: path)
        request.setValue(length.map(String.init), forHTTPHeaderField: "Content-Length")
        return request
    }
}
