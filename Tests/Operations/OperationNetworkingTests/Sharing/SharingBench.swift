import TestSupport

@testable import OperationNetworking

/// Shared transfers on a starter whose transfers a test ends, and a log of what callers were told.
struct SharingBench {
    /// Transfers that a test ends.
    final class Starter: TransferStarting {
        final class Transfer: TransferHandle {
            let url: String
            let completion: TransferCompletion
            let steps = Log<String>()
            private let reported = Locked<ProgressBlock?>(nil)

            init(_ url: String, _ completion: @escaping TransferCompletion) {
                self.url = url
                self.completion = completion
            }

            func start() { steps.add("start") }
            func cancel() { steps.add("cancel") }
            func addProgressBlock(_ block: @escaping ProgressBlock) {
                steps.add("progress")
                reported.withLock { $0 = block }
            }
            func tell(_ received: Int64, of expected: Int64) {
                reported.withLock { $0 }?(received, expected)
            }
            func end(_ object: sending Any?) { completion(nil, object, nil) }
            func fail() { completion(nil, nil, URLError(.timedOut)) }
        }

        let made = Log<Transfer>()
        /// For whom requests are sent; a test changes it.
        let login = Locked<String?>(nil)
        /// The same by a type of the caller's.
        let identity = Locked<(any Hashable & Sendable)?>(nil)
        /// Whether transfers fail as they are made.
        let failsAtOnce = Locked(false)

        func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)? {
            identity.withLock { $0 } ?? login.withLock { $0 }
        }

        func transfer(
            for request: URLRequest, completion: @escaping TransferCompletion
        ) -> any TransferHandle {
            let transfer = Transfer(request.url?.absoluteString ?? "", completion)
            made.add(transfer)
            if failsAtOnce.withLock({ $0 }) { transfer.fail() }
            return transfer
        }
    }

    struct NoText: Error {}

    let starter = Starter()
    let log = Log<String>()

    func shared(
        _ maximum: Int = 4, _ order: TransferOrder = .fifo,
        _ joining: TransferJoining = .equalRequests
    ) throws -> SharedTransfers<String> {
        try SharedTransfers(on: starter, maximumActive: maximum, order: order, joining: joining) {
            [log] _, value in
            log.add("kept \(value)")
        } conversion: { object, _ in
            guard let text = object as? String else { throw NoText() }
            return text
        }
    }

    func request(
        _ path: String, _ change: (inout URLRequest) -> Void = { _ in }
    ) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://a/\(path)")))
        change(&request)
        return request
    }

    @discardableResult
    func join(
        _ shared: SharedTransfers<String>, _ request: URLRequest, _ name: String,
        id: UUID = UUID(), kept: String? = nil
    ) -> TransferReceipt? {
        let part = shared.join(request, id: id, kept: { kept }) { [log] end in
            switch end.result {
            case .success(let value): log.add("\(name) \(value)")
            case .failure(let error): log.add("\(name) \((error as NSError).code)")
            }
        }
        switch part {
        case .receipt(let receipt): return receipt
        case .kept(let value):
            log.add("\(name) had \(value)")
            return nil
        }
    }

    func transfer(_ number: Int) throws -> Starter.Transfer {
        try #require(starter.made.all.count > number ? starter.made.all[number] : nil)
    }
}
