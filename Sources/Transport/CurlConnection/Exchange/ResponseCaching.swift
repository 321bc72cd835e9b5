import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking

/// What a load does next. The cache, the authentication and the judgement of a server return it.
enum LoadStep {
    /// The load goes on: the request is sent, the response delivered, or the error is the end.
    case goOn
    /// This request is sent instead.
    case send(URLRequest)
    /// The same request is sent again, after so many seconds.
    case sendAgain(after: TimeInterval)
    /// The response comes from the cache.
    case serve(StoredResponse)
    /// The delegate is asked for a credential first.
    case ask(AuthenticationQuestion)
    /// Nothing happens now: the delegate will answer later, or the load is over.
    case wait
    case fail(URLError)
}

/// The part of one load that uses the cache.
struct ResponseCaching {
    private var cache: ResponseCache?
    private var clock = NetworkClock.system
    private var request: CacheRequest?
    private var revalidated: StoredResponse?
    private var recording: CacheRecording?
    private var response: URLResponse?
    private var isDelivered = false
    /// The whole response was offered to the delegate, which has not said whether it may be stored.
    var isOffered = false
    private var isPastCache = false
    private var requestTime = Date.distantPast
    /// The fields that the cache adds to the request.
    private(set) var conditions = HeaderFields()
    /// The body of the stored response, where it was on disk alone.
    private var read: ReadBody?

    /// Begins with a request that is about to be sent.
    ///
    /// - Parameters:
    ///   - clock: for the ages of stored answers.
    ///   - requirements: for the trust in its server.
    ///   - route: where its connection leads.
    ///   - proxy: the one that answers in the origin's name.
    /// - Returns: what reads from the disk before `ask` is called with that; nil where nothing does.
    mutating func begin(
        _ cache: ResponseCache?, at clock: NetworkClock, for wire: URLRequest,
        trusting requirements: ServerTrustRequirements, over route: ConnectionRoute,
        through proxy: @autoclosure () -> Proxy?
    ) -> (@Sendable () -> ReadBody)? {
        cancel()
        (self.cache, self.clock) = (cache, clock)
        request = nil
        guard let cache else { return nil }
        let audience = Audience.name(
            of: requirements, over: route, through: proxy(), to: wire.url)
        let request = CacheRequest(wire, audience: audience)
        self.request = request
        return isPastCache ? nil : cache.reading(for: request, at: clock.date)
    }

    /// Asks about the request that it began with.
    mutating func ask(having read: ReadBody? = nil) -> LoadStep {
        guard let cache, let request, !isPastCache else { return .goOn }
        self.read = read
        switch cache.decide(for: request, at: clock.date, bodies).outcome {
        case .load(let fields):
            conditions = fields
            return .goOn
        case .revalidate(let stored, let fields):
            revalidated = stored
            conditions = fields
            return .goOn
        case .serve(let stored):
            return .serve(stored)
        case .fail(let error):
            return .fail(error)
        }
    }

    private var bodies: StoredBodies { .memory(or: read) }

    /// What another load has stored while this one waited for a connection.
    var storedMeanwhile: StoredResponse? {
        guard let cache, let request, !isPastCache,
            case .serve(let stored) = cache.decide(for: request, at: clock.date, bodies).outcome
        else { return nil }
        return stored
    }

    mutating func willSend() {
        requestTime = clock.date
    }

    /// A redirect may invalidate what the cache has stored. The redirect itself is not
    /// stored: it would have to be followed again, and the delegate asked.
    func passed(_ head: ResponseHead) {
        guard let cache, let request else { return }
        cache.record(answer(head, isDecoded: false), to: request).recording?.cancel()
    }

    private func answer(_ head: ResponseHead, isDecoded: Bool) -> ReceivedResponse {
        ReceivedResponse(
            status: head.statusCode, fields: head.fields,
            requestTime: requestTime, responseTime: clock.date,
            isDecoded: isDecoded && head.hasContentEncoding)
    }

    /// Decides about a head that is neither a challenge nor a redirect.
    ///
    /// - Parameter isPersonal: whether the response is for this load only: because of a credential from a challenge,
    ///   a client certificate, a server that only the delegate accepted, or a coding that stays undecoded.
    /// - Returns: `serve` where a stored response is to be used, and `send` where the 304 is about
    ///   another response than the stored one, so that the request is sent without conditions.
    mutating func received(
        _ head: ResponseHead, to current: URLRequest, isDecoded: Bool, isPersonal: Bool
    ) -> LoadStep {
        guard let cache, let request else { return .goOn }
        let answer = answer(head, isDecoded: isDecoded)
        if head.statusCode == 304, let stored = revalidated {
            // A personal 304 confirms the stored response, but must not change it for other loads.
            if isPersonal { return .serve(stored) }
            if let fresh = cache.freshen(stored, with: answer, to: request) {
                return .serve(fresh)
            }
            isPastCache = true
            cancel()
            return .send(current)
        }
        if let stale = cache.staleAnswer(
            for: request, on: .status(head.statusCode), at: clock.date, bodies)
        {
            return .serve(stale)
        }
        recording = cache.record(answer, to: request).recording
        if isPersonal {
            recording?.cancel()
            recording = nil
        }
        return .goOn
    }

    /// - Parameter response: the one that the delegate is about to get; nil where Foundation accepts no
    ///   such head.
    mutating func willDeliver(_ response: URLResponse?) {
        isDelivered = true
        self.response = response
        // Nothing is served from them any more, and they may have a file open.
        (read, revalidated) = (nil, nil)
    }

    func received(_ bytes: Data) {
        recording?.append(bytes)
    }

    /// The stored response to use instead of an error; nil where the delegate has a response already.
    func failed(with error: URLError) -> StoredResponse? {
        guard !isDelivered, let request else { return nil }
        return cache?.staleAnswer(for: request, on: .error(error), at: clock.date, bodies)
    }

    /// What may be stored of a complete response; nil where that is nothing.
    var proposal: (CacheRecording, CachedURLResponse)? {
        guard let recording, let response, let cached = recording.proposal(for: response) else {
            return nil
        }
        return (recording, cached)
    }

    mutating func cancel() {
        recording?.cancel()
        recording = nil
        revalidated = nil
        read = nil
        conditions = [:]
        isDelivered = false
    }
}

/// Who may share answers: those that ask the same server by the same way, and trust it for the same
/// reasons.
private enum Audience {
    private static let names = Locked<[ServerTrustRequirements: String]>([:])

    /// - Returns: nil for the default requirements, or http, over the plain route and through no proxy.
    static func name(
        of requirements: ServerTrustRequirements, over route: ConnectionRoute,
        through proxy: Proxy?, to url: URL?
    ) -> String? {
        let trust = url?.scheme?.lowercased() == "https" ? name(of: requirements) : nil
        let forwarder = proxy.map { "proxy \($0) \($0.user ?? "")" }
        let ways = [route.name(to: url), forwarder].compactMap { $0 }
        return ways.isEmpty ? trust : ([trust ?? ""] + ways).joined(separator: " ")
    }

    /// A name within this process; nil for the default requirements.
    private static func name(of requirements: ServerTrustRequirements) -> String? {
        if requirements == ServerTrustRequirements() { return nil }
        return names.withLock { names in
            if let known = names[requirements] { return known }
            if names.count >= 256 { names.removeAll() }
            let name = UUID().uuidString
            names[requirements] = name
            return name
        }
    }
}
