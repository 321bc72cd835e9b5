import Foundation
import FoundationNetworking
import HTTPSemantics
import Scheduling

// The load of a request that a class of the program's own takes, as mocks in tests do. There is no cookie, cache or
// retry; a challenge goes to the delegate as it is.

/// Such a load under way.
struct ClassLoad {
    let load: ProtocolLoad
    /// Whether the response was delivered; bytes that come before wait for it.
    var hasResponse = false
    /// What the class has said and the delegate does not know yet.
    private var events = FIFOQueue<ProtocolLoad.Event>()
    /// The bytes among it that came before the response.
    private var early = FIFOQueue<Data>()
    /// The number of bytes in both. A class cannot be made to wait.
    private(set) var queuedBytes = 0
    /// Nothing that a class says after its end counts.
    private(set) var hasEnded = false

    init(_ load: ProtocolLoad) {
        self.load = load
    }

    /// Small pieces that wait become one of so many bytes at most, since each takes memory beside its bytes.
    private static let joinedCount = 65_536

    mutating func add(_ event: ProtocolLoad.Event) {
        if hasEnded { return }
        switch event {
        case .data(let data):
            queuedBytes += data.count
            if data.isEmpty || hasJoined(data) { return }
        case .end, .failure: hasEnded = true
        default: break
        }
        events.append(event)
    }

    private mutating func hasJoined(_ data: Data) -> Bool {
        guard case .data(let last)? = events.last, last.count + data.count <= Self.joinedCount,
            // Taken out, so that the bytes are not copied each time.
            case .data(var piece)? = events.popLast()
        else { return false }
        piece.append(data)
        events.append(.data(piece))
        return true
    }

    var isEmpty: Bool { events.isEmpty && early.isEmpty }

    mutating func next() -> ProtocolLoad.Event? {
        if hasResponse, let data = early.popFirst() { return given(data) }
        while let event = events.popFirst() {
            guard case .data(let data) = event else { return event }
            if hasResponse { return given(data) }
            early.append(data)
        }
        return nil
    }

    private mutating func given(_ data: Data) -> ProtocolLoad.Event {
        queuedBytes -= data.count
        return .data(data)
    }
}

extension URLConnection {
    /// Offers a request to the configuration's classes, unless they have declined its URL.
    ///
    /// - Returns: whether the load waits for them now.
    func isOffered(_ request: URLRequest) -> Bool {
        guard !configuration.protocolClasses.isEmpty, declined != request.url else { return false }
        let load = ProtocolLoad()
        let take = fromElsewhere { (event: ProtocolLoad.Event) in
            guard !self.isOver, self.classLoad?.load === load else { return }
            self.classLoad?.add(event)
            self.deliverEvents()
            self.limitWaiting()
        }
        guard let take else { return true }
        apply(.read)
        classLoad = ClassLoad(load)
        noteActivity()
        load.start(request, configuration.protocolClasses, handler: take)
        watchTime()
        return true
    }

    /// Fails the load where more waits for the delegate than may be in memory.
    private func limitWaiting() {
        let limit = configuration.limits.bodyInMemory
        guard !isOver, let classLoad, classLoad.queuedBytes > limit else { return }
        let error = URLError(
            .dataLengthExceedsMaximum, url: currentRequest.url,
            text: "\(classLoad.load.name) of protocolClasses loaded more than \(limit) bytes "
                + "before they could be taken (limits.bodyInMemory).",
            underlying: LoadLimitError(.bodyInMemory, limit))
        // At once, also while the load is suspended: its bytes are dropped.
        dropClass()
        fail(error)
    }

    /// Calls the delegate for what the class has said, as far as it is ready.
    func deliverEvents() {
        while takes(.step), state == .reading, question == nil, !consumerWait.isOn,
            let event = classLoad?.next()
        {
            noteActivity()
            switch event {
            case .declined: goOnWithoutClass()
            case .response(let response): show(response, isWhole: false)
            case .data(let data): give(data)
            case .redirect(let request, let response): propose(request, after: response)
            case .challenge(let challenge):
                _ = callDelegate(.challenge) { $0.connection(self, willSendRequestFor: challenge) }
            case .end: endWithClass()
            case .failure(let error): fail(error)
            }
        }
        guard !takes(.step), classLoad?.isEmpty == false else { return }
        hold { self.goOnOnceConsumed() }
    }

    private func goOnWithoutClass() {
        dropClass()
        declined = currentRequest.url
        if isLocal { loadLocally() } else { load(currentRequest) }
    }

    private func dropClass() {
        classLoad?.load.stop()
        classLoad = nil
    }

    // MARK: A redirect

    private func propose(_ proposal: URLRequest, after response: URLResponse) {
        guard classLoad?.hasResponse == false else { return }
        if let refusal = refusal(ofRedirectTo: proposal) { return fail(refusal) }
        guard let made = response as? HTTPURLResponse else {
            let next =
                callDelegate(.willSend) {
                    $0.connection(self, willSend: proposal, redirectResponse: response)
                } ?? proposal
            return follow(next, after: response)
        }
        let answer = answered(proposed(proposal, after: made)) { answer in
            guard let answer else { return self.fail(self.neverAnswered("a redirect")) }
            self.follow(answer, after: made)
        }
        if let answer { follow(answer, after: made) }
    }

    /// What limits redirects of servers limits those of classes, which may pass them on.
    private func refusal(ofRedirectTo request: URLRequest) -> URLError? {
        let limit = configuration.limits.redirects
        guard redirectCount < limit else {
            return LoadLimitError(.redirects, Int64(limit)).urlError(currentRequest.url)
        }
        let leavesTLS =
            currentRequest.url?.scheme?.lowercased() == "https"
            && request.url?.scheme?.lowercased() == "http"
        guard leavesTLS, !configuration.followsRedirectsFromHTTPSToHTTP else { return nil }
        return URLError(
            .appTransportSecurityRequiresSecureConnection, url: request.url,
            text: "The redirect leads from https to http "
                + "(configuration.followsRedirectsFromHTTPSToHTTP).")
    }

    private func follow(_ next: URLRequest?, after response: URLResponse) {
        guard !isOver else { return }
        guard let next else { return show(response, isWhole: true) }
        redirectCount += 1
        measurement.metrics.redirectCount = redirectCount
        dropClass()
        declined = nil
        currentRequest = next
        load(next)
    }

    // MARK: The response

    /// - Parameter isWhole: whether nothing of a body follows.
    private func show(_ response: URLResponse, isWhole: Bool) {
        guard classLoad?.hasResponse == false else { return }
        classLoad?.hasResponse = true
        retrying.isOver = true
        counts = ReceivedCounts(whole: isWhole ? 0 : Int(clamping: response.expectedContentLength))
        show(response) { isLate in
            if isWhole { self.endReading() }
            if isLate { self.deliverEvents() }
        }
    }

    private func give(_ data: Data) {
        counts.read(data.count)
        _ = callDelegate(.didReceiveData) { $0.connection(self, didReceive: data) }
        if isConsumerBehind() { waitForConsumer() }
    }

    private func endWithClass() {
        guard let classLoad, !classLoad.hasResponse else { return endReading() }
        fail(
            URLError(
                .badServerResponse, url: currentRequest.url,
                text: "\(classLoad.load.name) of protocolClasses ended without a response."))
    }
}
