import CurlConnection
import OperationNetworking
import TestSupport

/// Counts how operations end; each must end exactly once.
final class Tally: Sendable {
    private struct State {
        var succeeded = 0
        var cancelled = 0
        var failed = 0
        var twice = 0
        var seen: Set<Int> = []
        var nextNumber = 0
        var decoded = 0
        var awaited: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "Tally")
    private let decodings = DispatchSemaphore(value: 0)

    var succeeded: Int { state.withLock { $0.succeeded } }
    var cancelled: Int { state.withLock { $0.cancelled } }
    var failed: Int { state.withLock { $0.failed } }
    var endedTwice: Int { state.withLock { $0.twice } }
    var decoded: Int { state.withLock { $0.decoded } }
    var ended: Int { state.withLock { $0.seen.count } }

    /// An operation that is counted when its completion block runs.
    func operation(_ request: URLRequest) -> URLConnectionOperation {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let operation = URLConnectionOperation(request: request)
        operation.completionQueue = queue
        operation.completionBlock = { [unowned operation] in
            self.count(number, operation)
        }
        return operation
    }

    /// Returns when so many have ended.
    func waitForAll(_ count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.seen.count >= count {
                    continuation.resume()
                } else {
                    state.awaited = (count, continuation)
                }
            }
        }
    }

    /// A serializer's answer has come to its block.
    func didDecode() {
        state.withLock { $0.decoded += 1 }
        decodings.signal()
    }

    /// Returns when so many answers have come.
    func waitForDecoded(_ count: Int) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [decodings] in
                for _ in 0..<count { decodings.wait() }
                continuation.resume()
            }
        }
    }

    private func count(_ number: Int, _ operation: URLConnectionOperation) {
        let error = operation.error
        let isWhole = operation.responseData != nil && operation.isFinished
        state.withLock { state in
            if !state.seen.insert(number).inserted {
                state.twice += 1
            } else if (error as? URLError)?.code == .cancelled {
                state.cancelled += 1
            } else if error == nil, isWhole {
                state.succeeded += 1
            } else {
                state.failed += 1
            }
            if let awaited = state.awaited, state.seen.count >= awaited.count {
                state.awaited = nil
                awaited.continuation.resume()
            }
        }
    }
}
