import EventRecorder
public import Foundation
public import FoundationNetworking
public import HTTPSemantics
import Locking
import Synchronization

/// Lets equal requests that are sent at the same time share one transfer.
///
/// A request joins the transfer of an equal one: GET or HEAD, with the same URL, body, header fields and
/// use of stored responses, and for the same user according to `TransferStarting.sharingIdentity(for:)`.
/// The fields `Accept`, `Accept-Encoding`, `Accept-Language`, `DNT`, `Priority` and `User-Agent` may
/// differ. Each caller gets a receipt of its own, its own request in the result, and can cancel its own
/// part. The transfer is cancelled with the last part; a later request begins a new one. Transfers
/// beyond a limit wait.
///
/// Releasing it cancels all transfers, without calling a handler.
///
/// ## Concurrency
/// Call from: any thread. Locks: one around the table, one around the transfers that are being started.
/// Calls out, never under a lock, on: the thread on which a transfer ends, or that of `cancel`
/// (handlers), the caller's (`TransferStarting`, `kept`).
public final class SharedTransfers<Value: Sendable>: Sendable {
    /// Called once with the result of a part, on the thread on which the transfer ended. If it ended while it was
    /// made, that is the caller's, before `join` returns.
    public typealias Handler = @Sendable (SharedResult<Value>) -> Void

    /// Makes the value of a response's object, or throws the error of the transfer.
    public typealias Conversion =
        @Sendable (_ object: sending Any?, _ response: URLResponse?) throws -> Value

    private let starter: any TransferStarting
    private let joining: TransferJoining
    private let conversion: Conversion
    private let prepare: (@Sendable (URLRequest, Value) -> Void)?
    private let table: Locked<TransferTable<Value>>
    /// For each thread that is starting a transfer, those that it starts after that one.
    private let following = Locked<[ObjectIdentifier: [SharedTransfer<Value>]]>([:])

    /// Makes a table without transfers.
    ///
    /// - Parameters:
    ///   - starter: makes the transfers.
    ///   - maximumActive: how many run at once; at least 1.
    ///   - order: which of the waiting transfers is started first.
    ///   - joining: which requests share.
    ///   - prepare: called with the first caller's request and the value before any handler is called,
    ///     for instance to store the value.
    ///   - conversion: makes the value of a transfer's object, once for all callers.
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

    /// - Parameter limit: at least 1, which the caller has checked.
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

    /// How many transfers run, and how many wait to be started.
    public var counts: (active: Int, waiting: Int) {
        table.withLock { ($0.active, $0.waitingCount) }
    }

    /// Joins the transfer of an equal request, or begins one.
    ///
    /// - Parameters:
    ///   - id: identifies the part.
    ///   - kept: returns a stored value, if there is one. Called if there is no transfer to join, and
    ///     again if a transfer has begun or ended meanwhile.
    ///   - progress: called on any thread while the body is received.
    /// - Returns: a receipt; or the stored value, for which the handler is not called.
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
                if progress != nil { observeProgress(of: joined) }
                return .receipt(TransferReceipt(id: id, transfer: joined.handle))
            }
            if let value = kept() { return .kept(value) }
            if let receipt = begin(key, part, alike: alike, ends: ends) { return .receipt(receipt) }
        }
    }

    /// Joins a transfer that another caller has begun meanwhile, or begins one.
    ///
    /// - Parameters:
    ///   - alike: the keys that were compared.
    ///   - ends: the number of ended transfers when they were compared.
    /// - Returns: nil if the table has changed since, so that the caller must look again.
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
        // Another caller was first; the manager may retain a transfer until it ends.
        if transfer !== new { handle.cancel() }
        if let transfer, part.progress != nil { observeProgress(of: transfer) }
        if transfer === new, let early = end.add(new) {
            finish(new, early)
        } else if mustStart {
            start(new)
        }
        return transfer.map { TransferReceipt(id: part.id, transfer: $0.handle) }
    }

    private func observeProgress(of transfer: SharedTransfer<Value>) {
        if transfer.isObserved.exchange(true, ordering: .acquiringAndReleasing) { return }
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
        if let transfer = end.transfer(or: outcome) { finish(transfer, outcome) }
    }

    private func finish(_ transfer: SharedTransfer<Value>, _ outcome: TransferOutcome<Value>) {
        // Not for a cancelled transfer.
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

    /// Starts a transfer. If it ends while it is started, the next one is started after this call and not
    /// inside it: thousands may wait.
    private func start(_ transfer: SharedTransfer<Value>) {
        let thread = ObjectIdentifier(Thread.current)
        let isInside = following.withLock { following in
            defer { following[thread, default: []].append(transfer) }
            return following[thread] != nil
        }
        if isInside { return }
        while let next = following.withLock({ $0[thread]?.popLast() }) { next.handle.start() }
        following.withLock { $0[thread] = nil }
    }

    /// Cancels a caller's part: its handler is called on this thread, with `URLError.cancelled`. With the
    /// last part the transfer is cancelled. Does nothing if the part has ended.
    public func cancel(_ receipt: TransferReceipt) {
        guard let (part, removed) = table.withLock({ $0.leave(receipt) }) else { return }
        if removed != nil { receipt.transfer.cancel() }
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

/// What `SharedTransfers.join` returns.
public enum TransferPart<Value: Sendable>: Sendable {
    /// The request joined or began a transfer.
    case receipt(TransferReceipt)
    /// The value was stored.
    case kept(Value)
}

private struct TransferOutcome<Value: Sendable>: Sendable {
    let response: URLResponse?
    let result: Result<Value, any Error>
}

/// The transfer of a completion block, which is made before its transfer. Stores the outcome of a transfer that
/// ends before it is in the table.
private struct TransferEnd<Value: Sendable>: Sendable {
    private struct State {
        weak var transfer: SharedTransfer<Value>?
        var isAdded = false
        var early: TransferOutcome<Value>?
    }

    private let state = Locked(State())

    /// The transfer that has ended; nil if it is not in the table, or not yet.
    func transfer(or early: TransferOutcome<Value>) -> SharedTransfer<Value>? {
        state.withLock { state in
            if !state.isAdded { state.early = early }
            return state.transfer
        }
    }

    /// Called when the transfer is in the table; returns its outcome if it has ended before.
    func add(_ transfer: SharedTransfer<Value>) -> TransferOutcome<Value>? {
        state.withLock { state in
            (state.transfer, state.isAdded) = (transfer, true)
            return state.early.take()
        }
    }
}

/// Which requests share a transfer.
public enum TransferJoining: Hashable, Sendable {
    /// Those that are equal, as `SharedTransfers` says.
    case equalRequests
    /// All of one URL, even with another method, header field or credential, as AFNetworking's image
    /// downloader shares them.
    case equalURLs
}

/// Which of the waiting transfers is started first.
public enum TransferOrder: Hashable, Sendable {
    /// The one that has waited longest.
    case fifo
    /// The latest.
    case lifo
}

/// One caller's part in a transfer.
public struct TransferReceipt: Sendable {
    /// Identifies the part.
    public let id: UUID
    /// The transfer; receipts of the callers that share it have the same.
    public let transfer: any TransferHandle

    /// A receipt, by which a part can be found again: its id is compared by value.
    public init(id: UUID, transfer: any TransferHandle) {
        self.id = id
        self.transfer = transfer
    }
}

/// The result of a caller's part.
public struct SharedResult<Value: Sendable>: Sendable {
    /// The caller's own request.
    public let request: URLRequest
    /// The response, the same one for all callers that share the transfer.
    public let response: URLResponse?
    /// The value or the transfer's error; `URLError.cancelled` for a part that was cancelled.
    public let result: Result<Value, any Error>
}

/// An invalid setting of `SharedTransfers`.
///
/// As an `NSError` it has the domain `OperationNetworking.sharing`; later versions keep its codes.
public enum SharedTransferError: NumberedError, Hashable, Sendable {
    /// 1: a limit of active transfers below 1, with which no transfer would ever start.
    case noActiveTransfers(Int)

    /// `OperationNetworking.sharing`.
    public static var errorDomain: String { "OperationNetworking.sharing" }

    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .noActiveTransfers(let limit):
            (
                1,
                "With at most \(limit) active transfers none ever starts; set a limit of at least 1."
            )
        }
    }
}
