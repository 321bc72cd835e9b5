import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking

// One try of an entry.
extension DurableRun {
    /// On `sender`.
    func send(_ item: DurableState.Item) {
        let entry = item.entry
        do {
            try entry.body.map(bodies.check)
        } catch let error as DurableQueueError {
            guard case .damagedBody = error else { return disk.async { self.putOff(entry.id) } }
            return disk.async { self.failed(entry.id, with: error) }
        } catch {
            return disk.async { self.putOff(entry.id) }
        }
        guard var request = entry.request.request else {
            return disk.async { self.failed(entry.id, with: URLError(.badURL)) }
        }
        if let body = entry.body {
            request.setValue("\(body.length)", forHTTPHeaderField: "Content-Length")
        }
        let operation = manager.httpRequestOperation(with: request, success: nil, failure: nil)
        if let body = entry.body {
            operation.inputStream = InputStream(url: URL(fileURLWithPath: bodies.path(body)))
        }
        // The queue has its own policy, and a stored response is no delivery.
        operation.configuration.retryPolicy = nil
        operation.configuration.responseCache = nil
        // From here on an entry that expires or is removed has its operation cancelled.
        let isWanted = state.withLock { state in
            let isLate = entry.expires.map { $0 <= clock.date } ?? false
            state.change(entry.id) { item in
                item.operation = operation
                if isLate, item.ending == nil { item.ending = .expired }
            }
            return state.items[entry.id]?.ending == nil && !state.isClosed
        }
        guard isWanted else { return disk.async { self.endUnsent(entry.id) } }
        // Called on any thread: it only dispatches.
        operation.whenFinished { self.disk.async { self.ended(entry.id) } }
        manager.enqueue(operation)
    }

    private func failed(_ id: UUID, with error: any Error) {
        state.withLock { $0.endTry(id, phase: .ending) }
        end(id, .failed(error))
        advance()
    }

    /// The body could not be read now, which says nothing of it.
    private func putOff(_ id: UUID) {
        guard let item = state.withLock({ $0.items[id] }) else { return }
        state.withLock { $0.endTry(id, phase: .ending) }
        switch item.ending {
        case .removed: end(id, nil)
        case .expired: end(id, .expired)
        case nil: delay(id, by: options.retryPolicy.maximumDelay, attempts: item.entry.attempts)
        }
        advance()
    }

    /// On `disk`.
    private func ended(_ id: UUID) {
        let (item, isClosed) = state.withLock { ($0.items[id], $0.isClosed) }
        guard !isClosed, let item, let operation = item.operation else { return }
        // Not the serializer's error: what the server said counts.
        let error = operation.ownError
        let body = operation.responseData ?? Data()
        state.withLock { $0.endTry(id, phase: .ending) }
        if item.ending == .removed {
            end(id, nil)
        } else if error == nil, let response = operation.response {
            judge(item, response, body)
        } else if item.ending == .expired {
            end(id, .expired)
        } else {
            judge(item, error ?? URLError(.badServerResponse))
        }
        advance()
    }

    private func judge(_ item: DurableState.Item, _ response: HTTPURLResponse, _ body: Data) {
        let status = response.statusCode
        if (200..<300).contains(status) { return end(item.entry.id, .delivered(response, body)) }
        retryOrEnd(
            item, after: .status(status), response.value(forHTTPHeaderField: "Retry-After"),
            .status(status), orEnd: .refused(response, body))
    }

    private func judge(_ item: DurableState.Item, _ error: any Error) {
        let code = (error as? URLError)?.code
        retryOrEnd(
            item, after: .error(code ?? .unknown), nil, code.map { .error($0) },
            orEnd: .failed(error))
    }

    private func retryOrEnd(
        _ item: DurableState.Item, after cause: RetryDecision.Cause, _ retryAfter: String?,
        _ failure: DurableOutcome.Failure?, orEnd outcome: DurableOutcome
    ) {
        let id = item.entry.id
        let now = clock.date
        state.withLock { $0.change(id) { $0.lastFailure = failure } }
        let attempts = item.entry.attempts + 1
        let failed = FailedAttempt(
            number: attempts, method: item.entry.request.httpMethod ?? "GET", hasKey: true,
            cause: cause, retryAfter: retryAfter, rest: nil)
        let decision = options.retryPolicy.decide(failed, now: now)
        let isLate = item.ending == .expired || item.entry.expires.map { $0 <= now } ?? false
        switch decision {
        case .waits where isLate, .stops(.budgetUsed) where isLate: end(id, .expired)
        case .waits(let seconds): delay(id, by: seconds, attempts: attempts)
        case .stops(.budgetUsed):
            delay(id, by: options.retryPolicy.maximumDelay, attempts: attempts)
        case .stops: end(id, outcome)
        }
    }
}

extension DurableEntry {
    init(_ item: DurableState.Item, reason: Reason?) {
        let entry = item.entry
        var request = entry.request.request ?? URLRequest(url: URL(fileURLWithPath: "/"))
        request.httpBody = nil
        self.init(
            id: entry.id, request: request, idempotencyKey: entry.idempotencyKey, key: entry.key,
            added: entry.added, expiresAt: entry.expires, attempts: entry.attempts, reason: reason,
            lastFailure: item.lastFailure)
    }
}
