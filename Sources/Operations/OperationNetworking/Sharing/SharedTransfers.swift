import EventRecorder
public import Foundation
public import FoundationNetworking
import Locking

/// Lets equal requests that are under way at the same time share one transfer.
///
/// A request joins the transfer of an equal one: GET or HEAD, with the same URL, body, fields and
/// use of stored responses, and for the same user, as far as `TransferStarting.sharingIdentity(for:)` knows. The
/// fields `Accept`, `Accept-Encoding`, `Accept-Language`, `DNT`,
/// `Priority` and `User-Agent` may differ; whatever else may hold a credential must not. Each caller
/// has a receipt of its own, gets its own request back, and can cancel its own part; the transfer is
/// cancelled with the last part, and a request after that is a new transfer. Beyond a limit transfers
/// wait.
///
/// Releasing it drops all parts: no handler is called, and the transfers are cancelled.
///
/// ## Concurrency
/// Call from: any thread. Locks: one around the table, one around what is started. Calls out on: the
/// thread on which a transfer ends, or that of `cancel`, for handlers; the caller's for what starts
/// transfers; never under a lock.
public final class SharedTransfers<Value: Sendable>: Sendable {
    /// Called once with the result of a part, on the thread on which the transfer ended; on the caller's, before
    /// `join` returns, where the transfer ended as it was made.
    public typealias Handler = @Sendable (SharedResult<Value>) -> Void

    /// Makes the value of an object; throws where the object has none.
    public typealias Conversion =
        @Sendable (_ object: sending Any?, _ response: URLResponse?) throws -> Value

    private let starter: any TransferStarting
    private let joining: TransferJoining
    private let conversion: Conversion
    private let prepare: (@Sendable (URLRequest, Value) -> Void)?
    private let table: Locked<TransferTable<Value>>
    /// For each thread that is starting a transfer, those that follow there.
    private let following = Locked<[ObjectIdentifier: [SharedTransfer<Value>]]>([:])

    /// Makes one.
    ///
    /// - Parameters:
    ///   - starter: makes the transfers.
    ///   - maximumActive: how many run at once; 1 at least.
    ///   - order: which of those that wait is next.
    ///   - joining: which requests share.
    ///   - conversion: makes the value of a transfer's object, once for all.
    ///   - prepare: called with the first caller's request and the value before any handler is, for
    ///     instance to keep the value.
    /// - Throws: `SharedTransferError`.
    public convenience init(
        on starter: any TransferStarting, maximumActive: Int = .max,
        order: TransferOrder = .fifo, joining: TransferJoining = .equalRequests,
        prepare: (@Sendable (URLRequest, Value) -> Void)? = nil,
        conversion: @escaping Conversion
    ) throws(SharedTransferError) {
        guard maximumActive > 0 else {
            throw SharedTransferError.noActiveTransfers(maximumActive)
        }
        self.init(
            on: starter, limit: maximumActive, order: order, joining: joining, prepare: prepare,
            conversion: conversion)
    }

    /// The caller has checked the limit.
    package init(
        on starter: any TransferStarting, limit: Int, order: TransferOrder,
        joining: TransferJoining, prepare: (@Sendable (URLRequest, Value) -> Void)?,
        conversion: @escaping Conversion
    ) {
        self.starter = starter
        self.joining = joining
        self.conversion = conversion
        self.prepare = prepare
        table = Locked(TransferTable(limit: limit, order: order))
    }

    deinit {
        for transfer in table.withLock({ $0.close() }) { transfer.handle.cancel() }
    }

    /// How many transfers run, and how many wait.
    public var counts: (active: Int, waiting: Int) {
        table.withLock { ($0.active, $0.waitingCount) }
    }

    /// Takes part in the transfer of an equal request, or begins one.
    ///
    /// - Parameters:
    ///   - id: names the part.
    ///   - kept: a value that need not be transferred; asked where there is nothing to join, and
    ///     once more where a transfer has begun or ended since.
    ///   - progress: called as the body comes, from any thread.
    /// - Returns: a receipt, or the value that was kept; the handler is not called for that.
    public func join(
        _ request: URLRequest, id: UUID = UUID(), kept: () -> Value? = { nil },
        progress: TransferHandle.ProgressBlock? = nil, handler: @escaping Handler
    ) -> TransferPart<Value> {
        let own = TransferKey(SharingKey(request, joining, for: starter))
        let part = SharedTransfer<Value>.Part(
            id: id, request: request, progress: progress, handler: handler)
        while true {
            let alike = table.withLock { $0.keys(like: own) }
            let key = alike.first { $0.value == own.value } ?? own
            let (joined, ends) = table.withLock { ($0.join(key, part), $0.ends) }
            if let joined {
                if progress != nil { tellOfProgress(of: joined) }
                return .receipt(TransferReceipt(id: id, transfer: joined.handle))
            }
            if let value = kept() { return .kept(value) }
            if let receipt = begin(key, part, alike: alike, ends: ends) { return .receipt(receipt) }
        }
    }

    /// A new transfer, or one that somebody began meanwhile; nil where one has ended since, or one has begun whose
    /// key was not compared.
    ///
    /// - Parameter alike: the keys that were compared.
    private func begin(
        _ key: TransferKey, _ part: SharedTransfer<Value>.Part, alike: [TransferKey], ends: Int
    ) -> TransferReceipt? {
        let end = TransferEnd<Value>()
        let handle = starter.transfer(for: part.request) { [weak self] response, object, error in
            self?.complete(end, response, object, error)
        }
        let new = SharedTransfer<Value>(key, handle)
        let (transfer, mustStart) = table.withLock { table -> (SharedTransfer<Value>?, Bool) in
            if let joined = table.join(key, part) { return (joined, false) }
            let isCompared = table.keys(like: key).allSatisfy { key in
                alike.contains { $0 === key }
            }
            guard table.ends == ends, isCompared else { return (nil, false) }
            return (new, table.add(new, part))
        }
        // What lost the race against another caller must not stay with its manager.
        if transfer !== new { handle.cancel() }
        if let transfer, part.progress != nil { tellOfProgress(of: transfer) }
        if transfer === new, let early = end.add(new) {
            tell(new, early)
        } else if mustStart {
            start(new)
        }
        return transfer.map { TransferReceipt(id: part.id, transfer: $0.handle) }
    }

    private func tellOfProgress(of transfer: SharedTransfer<Value>) {
        let isTelling = transfer.isTelling.withLock { isTelling in
            defer { isTelling = true }
            return isTelling
        }
        if isTelling { return }
        transfer.handle.addProgressBlock { [weak self, weak transfer] received, expected in
            guard let self, let transfer else { return }
            for part in table.withLock({ $0.parts(of: transfer) }) {
                part.progress?(received, expected)
            }
        }
    }

    private func complete(
        _ end: TransferEnd<Value>, _ response: URLResponse?, _ object: sending Any?,
        _ error: (any Error)?
    ) {
        let result: Result<Value, any Error>
        do {
            if let error { throw error }
            result = .success(try conversion(object, response))
        } catch {
            result = .failure(error)
        }
        let outcome = TransferOutcome(response: response, result: result)
        if let transfer = end.transfer(or: outcome) { tell(transfer, outcome) }
    }

    private func tell(_ transfer: SharedTransfer<Value>, _ outcome: TransferOutcome<Value>) {
        // A forgotten transfer's value is nobody's (IM-12).
        if case .success(let value) = outcome.result,
            let first = table.withLock({ $0.parts(of: transfer).first?.request })
        {
            prepare?(first, value)
        }
        let (parts, next) = table.withLock { $0.end(transfer) }
        for part in parts {
            part.handler(
                SharedResult(
                    request: part.request, response: outcome.response, result: outcome.result))
        }
        if let next { start(next) }
    }

    /// Starts a transfer. One that ends inside its start has the next one started behind it: thousands may wait.
    private func start(_ transfer: SharedTransfer<Value>) {
        let me = ObjectIdentifier(Thread.current)
        let isInside = following.withLock { following in
            defer { following[me, default: []].append(transfer) }
            return following[me] != nil
        }
        if isInside { return }
        while let next = following.withLock({ $0[me]?.popLast() }) { next.handle.start() }
        following.withLock { $0[me] = nil }
    }

    /// Cancels a caller's part: its handler gets `URLError.cancelled`, on this thread; the others'
    /// parts go on (IM-10). With the last part the transfer is cancelled and forgotten (IM-11).
    ///
    /// A receipt whose part has ended changes nothing.
    public func cancel(_ receipt: TransferReceipt) {
        guard let (part, forgotten) = table.withLock({ $0.leave(receipt) }) else { return }
        if forgotten != nil { receipt.transfer.cancel() }
        let address = part.request.url.map { Redaction.address($0.absoluteString) } ?? ""
        let error = URLError(
            .cancelled,
            userInfo: [
                NSLocalizedFailureReasonErrorKey:
                    "The caller's part of the request was cancelled: \(address)"
            ])
        part.handler(SharedResult(request: part.request, response: nil, result: .failure(error)))
    }
}

/// What `SharedTransfers.join` gives.
public enum TransferPart<Value: Sendable>: Sendable {
    /// The request takes part in a transfer.
    case receipt(TransferReceipt)
    /// The value was there.
    case kept(Value)
}

/// What a transfer ended with.
private struct TransferOutcome<Value: Sendable>: Sendable {
    let response: URLResponse?
    let result: Result<Value, any Error>
}

/// From a transfer's end to the transfer, which is made after the block that its end calls, and which the table
/// keeps. An end that comes before the table has the transfer is kept here.
private struct TransferEnd<Value: Sendable>: Sendable {
    private struct State {
        weak var transfer: SharedTransfer<Value>?
        var isAdded = false
        var early: TransferOutcome<Value>?
    }

    private let state = Locked(State())

    /// The transfer that has ended; nil where the table does not have it yet, or no more.
    func transfer(or early: TransferOutcome<Value>) -> SharedTransfer<Value>? {
        state.withLock { state in
            if !state.isAdded { state.early = early }
            return state.transfer
        }
    }

    /// The table has the transfer: what it ended with before that.
    func add(_ transfer: SharedTransfer<Value>) -> TransferOutcome<Value>? {
        state.withLock { state in
            (state.transfer, state.isAdded) = (transfer, true)
            defer { state.early = nil }
            return state.early
        }
    }
}
