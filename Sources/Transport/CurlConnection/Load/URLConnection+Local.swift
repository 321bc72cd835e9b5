import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking

// The load of a `file:` or `data:` address. The response is no HTTP response; there is no cookie, cache,
// challenge or retry.

/// A local load under way.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none; the reader has a queue of its own.
struct LocalLoad {
    let reader: LocalReader
    /// When something was read last, or the delegate took something.
    var active: UInt64
    /// Bytes that the delegate had not taken then.
    var waiting = Int.max
}

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
        local = LocalLoad(reader: reader, active: configuration.clock.nanoseconds)
        guard let receive = receiver({ (head: LocalReader.Head) in self.opened(head, method) })
        else {
            return
        }
        reader.open(receive)
        watchLocalTime()
    }

    /// Reads what is open: the file of a stored response.
    func read(_ reader: LocalReader) {
        local = LocalLoad(reader: reader, active: configuration.clock.nanoseconds)
        watchLocalTime()
        readNext()
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
        let answer = answered(shown(response)) { self.readOn(hasBody, after: $0) }
        if let answer { readOn(hasBody, after: answer) }
    }

    private func readOn(_ hasBody: Bool, after answer: ResponseDisposition?) {
        if let refusal = refusal(answer) { fail(refusal) } else { readOn(hasBody) }
    }

    private func readOn(_ hasBody: Bool) {
        guard !isOver else { return }
        guard hasBody else { return endReading() }
        readNext()
    }

    /// Reads the next piece, once the delegate has taken the last.
    private func readNext() {
        guard !isOver, let reader = local?.reader else { return }
        guard takes(.step) else { return hold { self.readNext() } }
        let waiting = delegate?.connectionBytesNotConsumed(self) ?? 0
        guard !isOver else { return }
        if waiting < local?.waiting ?? .max { local?.active = configuration.clock.nanoseconds }
        local?.waiting = waiting
        guard waiting == 0 else { return waitForConsumer { self.readNext() } }
        local?.waiting = .max
        guard let receive = receiver({ (piece: Data) in self.took(piece) }) else { return }
        reader.next(receive)
    }

    private func took(_ piece: Data) {
        guard takes(.step) else { return hold { self.took(piece) } }
        guard !piece.isEmpty else { return endReading() }
        counts.read(piece.count)
        _ = tell(.didReceiveData) { $0.connection(self, didReceive: piece) }
        readNext()
    }

    /// Brings a result of the reader's to this thread, in the connection's modes. It keeps the connection alive.
    private func receiver<Value: Sendable>(
        _ take: @escaping (Value) -> Void
    ) -> (@Sendable (Result<Value, URLError>) -> Void)? {
        guard let jobs = readyTransport()?.crossThreadJobs else { return nil }
        let job = Locked<(Result<Value, URLError>) -> Void> { result in
            guard !self.isOver else { return }
            self.local?.active = self.configuration.clock.nanoseconds
            switch result {
            case .success(let value): take(value)
            case .failure(let error): self.fail(error)
            }
        }
        return { result in
            // Copied out of the lock, since it calls the delegate.
            jobs.perform { _ in job.withLock { $0 }(result) }
        }
    }

    /// Fails a load whose disk, class or delegate does nothing for too long.
    func watchLocalTime() {
        guard !isOver, let active = local?.active ?? classLoad?.active,
            let transport = readyTransport()
        else { return }
        let now = configuration.clock.nanoseconds
        if let deadline, now >= deadline { return failForTime() }
        var end = deadline ?? .max
        if let limit = MonotonicClock.nanoseconds(currentRequest.timeoutInterval) {
            let idleEnd = active + limit
            if now >= idleEnd, takes(.step), state == .reading, question == nil,
                !waitsWithoutLimit
            {
                let what =
                    classLoad.map { "\($0.load.name) loaded nothing" }
                    ?? "No byte of the file could be read"
                return fail(
                    URLError(
                        .timedOut, url: currentRequest.url,
                        text: "\(what) for the timeoutInterval."))
            }
            end = min(end, max(idleEnd, now + 1_000_000_000))
        }
        guard end < .max else { return }
        transport.later(at: end) { [weak self] in self?.watchLocalTime() }
    }
}
