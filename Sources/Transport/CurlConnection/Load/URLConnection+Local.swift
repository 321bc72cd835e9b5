import Foundation
import FoundationNetworking
import HTTPSemantics

// The load of a `file:` or `data:` address. The response is no HTTP response; there is no cookie, cache,
// challenge or retry.

extension URLConnection {
    /// Whether the load begins with the caller's own local address. Nothing that came from elsewhere, such as a
    /// redirect or a delegate's new request, leads to one.
    var isLocal: Bool {
        configuration.loadsLocalAddresses && LocalReader.isLocal(originalRequest.url)
            && currentRequest.url == originalRequest.url
    }

    /// Reads the current request's address.
    func loadLocally() {
        guard takes(.step) else { return hold { self.loadLocally() } }
        let method = currentRequest.httpMethod ?? "GET"
        guard method == "GET" || method == "HEAD", let url = currentRequest.url else {
            return fail(
                URLError(
                    .unsupportedURL, url: currentRequest.url,
                    text: "file: and data: URLs are loaded with GET and HEAD."))
        }
        apply(.read)
        let reader = LocalReader(url)
        self.reader = reader
        noteActivity()
        guard let receive = receiver({ (head: LocalReader.Head) in self.opened(head, method) })
        else {
            return
        }
        reader.open(receive)
        watchTime()
    }

    /// Reads what is open: the file of a stored response.
    func read(_ reader: LocalReader) {
        self.reader = reader
        noteActivity()
        watchTime()
        goOnOnceConsumed()
    }

    private func opened(_ head: LocalReader.Head, _ method: String) {
        guard takes(.step) else { return hold { self.opened(head, method) } }
        guard let url = currentRequest.url else { return }
        let response = URLResponse(
            url: url, mimeType: head.mimeType, expectedContentLength: Int(clamping: head.length),
            textEncodingName: head.charset)
        let hasBody = method != "HEAD"
        counts = ReceivedCounts(whole: hasBody ? Int(clamping: head.length) : 0)
        retrying.isOver = true
        show(response) { _ in hasBody ? self.goOnOnceConsumed() : self.endReading() }
    }

    func readNext() {
        guard let receive = receiver({ (piece: Data) in self.took(piece) }) else { return }
        reader?.next(receive)
    }

    private func took(_ piece: Data) {
        guard takes(.step) else { return hold { self.took(piece) } }
        noteActivity()
        guard !piece.isEmpty else { return endReading() }
        counts.read(piece.count)
        _ = callDelegate(.didReceiveData) { $0.connection(self, didReceive: piece) }
        goOnOnceConsumed()
    }

    /// Takes a result of the reader's.
    private func receiver<Value: Sendable>(
        _ take: @escaping (Value) -> Void
    ) -> (@Sendable (Result<Value, URLError>) -> Void)? {
        fromElsewhere { (result: Result<Value, URLError>) in
            guard !self.isOver else { return }
            self.noteActivity()
            switch result {
            case .success(let value): take(value)
            case .failure(let error): self.fail(error)
            }
        }
    }

    /// Fails a load without a transfer whose disk, class or delegate does nothing for too long.
    func watchTime() {
        timeWatch?.cancel()
        guard !isOver, state == .reading || state == .serving, let transport = readyTransport()
        else { return }
        let now = configuration.clock.nanoseconds
        if let deadline, now >= deadline { return failForTime() }
        var end = deadline ?? .max
        if let limit = MonotonicClock.nanoseconds(currentRequest.timeoutInterval) {
            if isIdle(at: now, limit) { askAtIdleLimit() }
            guard !isOver else { return }
            if isIdle(at: now, limit) {
                return fail(
                    URLError(
                        .timedOut, url: currentRequest.url,
                        text: "\(idleText) for the timeoutInterval."))
            }
            end = min(end, max(clamping(lastActivity, plus: limit), now + 1_000_000_000))
        }
        guard end < .max else { return }
        timeWatch = transport.later(at: end) { [weak self] in
            self?.watchTime()
        }
    }

    private func isIdle(at now: UInt64, _ limit: UInt64) -> Bool {
        now >= clamping(lastActivity, plus: limit) && takes(.step) && question == nil
            && !waitsWithoutLimit
    }

    private var idleText: String {
        if consumerWait.isOn { return "The consumer took no bytes of the body" }
        if let classLoad { return "\(classLoad.load.name) loaded nothing" }
        return "Nothing of the URL could be read"
    }
}
