public import Foundation
public import FoundationNetworking
public import HTTPSemantics
import Locking
public import OperationNetworking

/// Requests that are sent whatever becomes of the process: written through to the disk before they are accepted,
/// at least once, in order by key, until they expire.
///
/// ```swift
/// let queue = try await DurableQueue(folder: folder, manager: manager) { entry, outcome in
///     print(entry, outcome)
/// }
/// try await queue.add(request, orderedBy: "basket 7", expiresAt: Date(timeIntervalSinceNow: 86_400))
/// ```
///
/// Keep it: when it is released, it stops sending, and what has not ended stays in the folder. What an earlier
/// process left there is sent from the start. Every try of an entry, also after a
/// restart, has the same idempotency key, in the field that `Options.retryPolicy` names. The queue reports an
/// outcome before it writes it: after a kill between the two it sends and reports once more.
///
/// The manager makes and enqueues the operations, so its settings, limits and `holdsWhileOffline` count; its
/// `retryPolicy` and cache are left out. Its settings are not stored, a request's fields and body are, in files
/// for their owner alone. Documentation/Decisions/0041 has the table of outcomes, 0055 the files.
///
/// ## Concurrency
/// Call from: any thread. Lock: those of the run, none held while it calls out. Calls out on: the manager's
/// `completionQueue` or main (outcomes). No caller and no network thread waits for the disk.
public final class DurableQueue: Sendable {
    private let run: DurableRun
    /// The folder of what it keeps.
    public let folder: URL

    /// Opens the queue of a folder, and begins to send what is there.
    ///
    /// - Parameters:
    ///   - folder: a file URL; made where it is missing, in a folder that exists. One queue has it at a time.
    ///   - manager: its `configuration.clock` is the queue's.
    ///   - outcome: called once for each entry that ends; once more after a kill.
    /// - Throws: `DurableQueueError`.
    public init(
        folder: URL, manager: HTTPRequestOperationManager, options: Options = Options(),
        outcome: (@Sendable (DurableEntry, DurableOutcome) -> Void)? = nil
    ) async throws {
        self.folder = folder
        let opened = Awaited<DurableRun>()
        run = try await opened.value {
            Self.opener.async {
                opened.give(Result { try DurableRun(folder, manager, options, outcome) })
            }
        }
        run.disk.async { [run] in run.advance() }
    }

    // Its threads are shared with user-interactive blocks alone.
    private static let opener = DispatchQueue(
        label: "com.alamofire.networking.durable.open", qos: .userInteractive,
        attributes: .concurrent)

    deinit {
        run.close()
    }

    // MARK: Accepting

    /// Accepts a request: when it returns, the request is on the disk.
    ///
    /// - Parameters:
    ///   - request: http or https; its body is data. The field of the idempotency key gets a new UUID unless it is
    ///     set.
    ///   - key: entries with one key are sent one after the other, in the order in which they were accepted.
    ///   - expiresAt: after this it is not sent any more.
    /// - Returns: the entry's id.
    /// - Throws: `DurableQueueError`, and then nothing of the request was kept. A cancelled task still gets one of
    ///   the two.
    @discardableResult
    public func add(
        _ request: URLRequest, orderedBy key: String? = nil, expiresAt: Date? = nil
    ) async throws -> UUID {
        try await add(request, nil, key, expiresAt)
    }

    /// Adds a request whose body is in a file. The file is copied.
    ///
    /// - Parameter body: a regular file, which may be removed after the call.
    @discardableResult
    public func add(
        _ request: URLRequest, fromFile body: URL, orderedBy key: String? = nil,
        expiresAt: Date? = nil
    ) async throws -> UUID {
        try await add(request, body, key, expiresAt)
    }

    private func add(
        _ request: URLRequest, _ file: URL?, _ key: String?, _ expires: Date?
    ) async throws -> UUID {
        let entry = try run.entry(of: request, file, key, expires)
        let result = Awaited<UUID>()
        return try await result.value { run.store(entry, request.httpBody, file, result) }
    }

    // MARK: Looking and changing

    /// What has not ended, in the order in which it was accepted, with the reason why it waits.
    public var entries: [DurableEntry] { run.entries }

    /// Whether nothing more is sent; what is under way goes on.
    public var isSuspended: Bool {
        get { run.state.withLock { $0.isSuspended } }
        set {
            run.state.withLock { $0.isSuspended = newValue }
            run.disk.async { [run] in run.advance() }
        }
    }

    /// Takes an entry out; no outcome is reported. One that is under way is cancelled, and may have arrived.
    ///
    /// - Returns: false where there is none that has not ended, and once the queue is closed.
    @discardableResult
    public func remove(_ id: UUID) async -> Bool {
        await withCheckedContinuation { continuation in
            run.disk.async { [run] in continuation.resume(returning: run.remove(id)) }
        }
    }

    /// Waits until every entry has ended, or the queue is closed. A task that is cancelled waits no longer; the
    /// entries stay.
    public func waitUntilEmpty() async {
        let awaited = Awaited<Void>()
        try? await awaited.value(for: nil) {
            run.whenEmpty(awaited)
        } cancelling: { [run] in
            run.forget(awaited)
        }
    }

    /// Stops sending and gives the folder free; what has not ended stays there for the next queue. It waits for an
    /// outcome that is being reported, so do not block in that until it returns.
    public func close() async {
        let closed = Awaited<Void>()
        try? await closed.value { run.close(closed) }
    }
}

extension DurableQueue {
    /// Limits and choices of a durable queue, as a value.
    public struct Options: Sendable {
        /// When an entry that failed is sent again. Its `idempotencyKeyField` is that of the key,
        /// `Idempotency-Key` where it names none.
        public var retryPolicy = RetryPolicy.durable
        /// How many entries may be with the manager at once; 8 at first.
        public var maximumConcurrentEntries = 8
        /// How many entries may wait; `add` throws beyond. 10,000 at first.
        public var maximumEntries = 10_000
        /// How many bytes the entries may have, long bodies and those from files aside; 64 MiB at first, 128 at
        /// most.
        public var maximumStoredLength = 1 << 26
        /// How many bytes a body may have; 1 GiB at first.
        public var maximumBodyLength: Int64 = 1 << 30
        /// Whether a damaged file is used without the entries that cannot be read; false at first: then it is an error
        /// that says which. The file is kept as `queue.sqlite.damaged`, the long bodies of those entries in
        /// `bodies.damaged`.
        public var acceptsDamage = false
        /// Whether nothing is sent at first.
        public var isSuspended = false
        var disk = Disk()

        /// The values named at each property.
        public init() {}
    }
}

extension RetryPolicy {
    /// For entries of a durable queue: any number of tries, up to five minutes apart or as `Retry-After` says,
    /// after every failure that says nothing about the request itself.
    public static var durable: RetryPolicy {
        var policy = RetryPolicy(budget: nil)
        policy.maximumAttempts = .max
        policy.statusCodes = [408, 425, 429, 500, 502, 503, 504]
        policy.errorCodes = [
            .unknown, .cancelled, .timedOut, .cannotFindHost, .cannotConnectToHost,
            .networkConnectionLost, .dnsLookupFailed, .notConnectedToInternet, .badServerResponse,
            .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .cannotLoadFromNetwork, .cannotParseResponse, .zeroByteResource,
            .cannotDecodeRawData, .cannotDecodeContentData, .resourceUnavailable,
            .internationalRoamingOff, .callIsActive, .dataNotAllowed,
        ]
        policy.idempotencyKeyField = "Idempotency-Key"
        policy.delay = 1
        policy.maximumDelay = 300
        policy.maximumRetryAfter = 7 * 86_400
        return policy
    }
}

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
        /// Its operation waits in the manager.
        case manager(QueuedOperation.Reason)
        /// It has ended; the outcome has still to be reported or written.
        case ending
    }

    /// Identifies the entry, also after a restart.
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
