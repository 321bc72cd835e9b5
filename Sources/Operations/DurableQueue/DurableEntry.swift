public import Foundation
public import FoundationNetworking
public import OperationNetworking

/// A request that a durable queue has accepted and that has not ended.
public struct DurableEntry: Identifiable, Sendable {
    /// Why an entry is not being sent.
    public enum Reason: Sendable, Hashable {
        /// One with the same key was added before it.
        case order
        /// As many entries are being sent as `Options.maximumConcurrentEntries` allows.
        case concurrency
        /// The queue is suspended.
        case suspended
        /// It failed, and is sent again then.
        case retry(at: Date)
        /// The manager holds its operation.
        case manager(QueuedOperation.Reason)
        /// It has ended; the outcome has still to be reported or written.
        case ending
    }

    /// Its own, over restarts.
    public let id: UUID
    /// The request with its idempotency key, without a body. It may hold secrets.
    public let request: URLRequest
    /// The same for every try, also after a restart.
    public let idempotencyKey: String
    /// What it is ordered by; nil: nothing.
    public let key: String?
    /// When it was accepted.
    public let added: Date
    /// After this it is not sent any more; nil: never.
    public let expiresAt: Date?
    /// How often it was sent without success, over restarts.
    public let attempts: Int
    /// Why it waits; nil where it is being sent.
    public let reason: Reason?
    /// What the last try of this process failed with: a `URLError`, or the status.
    public let lastFailure: DurableOutcome.Failure?
}

/// How an entry ended.
public enum DurableOutcome: Sendable {
    /// What a try failed with.
    public enum Failure: Sendable, Hashable {
        /// A response with this status.
        case status(Int)
        /// An error of the connection.
        case error(URLError.Code)
    }

    /// The server answered 200 to 299; the body.
    case delivered(HTTPURLResponse, Data)
    /// The server answered with a status that the policy does not try again, or no longer; the body.
    case refused(HTTPURLResponse, Data)
    /// The connection's error, which the policy does not try again, or no longer;
    /// `DurableQueueError.damagedBody`.
    case failed(any Error)
    /// Its time passed before a success. An earlier try may have reached the server.
    case expired
}

extension DurableEntry: CustomStringConvertible {
    /// Without the request's fields, user and password.
    public var description: String {
        let address = request.url.map(DownloadRecord.address) ?? ""
        return "\(id) \(request.httpMethod ?? "GET") \(address.prefix { $0 != "?" })"
            + (reason.map { ": \($0)" } ?? "")
    }
}
