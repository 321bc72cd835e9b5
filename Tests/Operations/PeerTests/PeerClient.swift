import CurlConnection
import OperationNetworking
import TestSupport

/// How one operation ended, as its blocks heard it.
struct Ending: Sendable {
    var status: Int?
    var fields: [String: String] = [:]
    /// What the success block got, if that was bytes or JSON, as bytes.
    var success: Data?
    var error: NSError?
    /// What the operation holds after its end.
    var data: Data?
    var seconds = 0.0

    var isSuccess: Bool { success != nil }
    /// The number of an error of the loading system; nil for every other error.
    var urlCode: URLError.Code? {
        error.flatMap { $0.domain == NSURLErrorDomain ? URLError.Code(rawValue: $0.code) : nil }
    }
    var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }
}

/// A manager whose blocks run on a queue of its own, and one `Ending` for each request.
///
/// ## Concurrency
/// Call from: any thread. Lock: the one in `counts`.
final class PeerClient: Sendable {
    let manager = HTTPRequestOperationManager()
    let queue = DispatchQueue(label: "PeerClient")
    private let thread: NetworkThread
    /// How often each operation's blocks were called, by the number of the request.
    private let counts = Locked<[Int]>([])

    /// - Parameters:
    ///   - serializer: as it is for a manager; plain HTTP keeps the bytes.
    ///   - thread: one of its own has connections of its own.
    init(
        _ serializer: HTTPResponseSerializer = HTTPResponseSerializer(),
        thread: NetworkThread = .shared
    ) {
        self.thread = thread
        manager.responseSerializer = serializer
        manager.completionQueue = queue
    }

    /// How often the blocks of any request were called a second time.
    var endedTwice: Int { counts.withLock { $0.count { $0 > 1 } } }

    func get(_ url: URL, timeout: TimeInterval = 5) async -> Ending {
        await run(URLRequest(url: url, timeoutInterval: timeout))
    }

    func post(_ url: URL, _ body: Data, timeout: TimeInterval = 5) async -> Ending {
        var request = URLRequest(url: url, timeoutInterval: timeout)
        request.httpMethod = "POST"
        request.httpBody = body
        return await run(request)
    }

    /// - Parameter prepare: sees the operation before it is queued.
    func run(
        _ request: URLRequest, prepare: (HTTPRequestOperation) -> Void = { _ in }
    ) async -> Ending {
        let start = DispatchTime.now().uptimeNanoseconds
        let number = counts.withLock { counts in
            counts.append(0)
            return counts.count - 1
        }
        return await withCheckedContinuation { continuation in
            let once = Locked<CheckedContinuation<Ending, Never>?>(continuation)
            let end: @Sendable (HTTPRequestOperation, Data?, NSError?) -> Void = {
                operation, success, error in
                self.counts.withLock { $0[number] += 1 }
                var ending = Ending(success: success, error: error, data: operation.responseData)
                let response = operation.response
                ending.status = response?.statusCode
                for (name, value) in response?.allHeaderFields ?? [:] {
                    ending.fields["\(name)"] = "\(value)"
                }
                let now = DispatchTime.now().uptimeNanoseconds
                ending.seconds = Double(now - start) / 1e9
                once.withLock { continuation in
                    defer { continuation = nil }
                    return continuation
                }?.resume(returning: ending)
            }
            let operation = manager.httpRequestOperation(
                with: request,
                success: { operation, object in
                    end(operation, (object as? Data) ?? Data("\(object ?? "")".utf8), nil)
                },
                failure: { operation, error in
                    if let operation { end(operation, nil, error as NSError) }
                })
            operation.networkThread = thread
            prepare(operation)
            manager.enqueue(operation)
        }
    }
}

/// Asks again for at most twenty seconds; a peer is another process, which tells only what it is
/// asked.
func eventually(_ isTrue: () async -> Bool) async -> Bool {
    let end = Date(timeIntervalSinceNow: 20)
    while Date() < end {
        if await isTrue() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return false
}
