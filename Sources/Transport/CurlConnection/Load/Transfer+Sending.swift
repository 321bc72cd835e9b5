import Foundation

// The body of the request, and how much of it was sent.

extension Transfer {
    func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlSupply {
        reportSent()
        guard meanwhile(.source) != .pauses else {
            pauses.isSending = true
            return .pause
        }
        guard state.isWithLibcurl, let body else { return .abort }
        switch body.read(into: buffer) {
        case .bytes(let count):
            didMove()
            pauses.isSending = false
            tls.connection?.asks(isLarge: body.length ?? .max > 65_535)
            sent.take(count)
            transport.watchSending(of: self)
            return .bytes(count)
        case .end:
            return .bytes(0)
        case .dry(let isAskedAgain):
            pauses.isSending = true
            if isAskedAgain { load?.pollSoon() }
            return .pause
        case .failed(let error):
            interruption = .failure(
                error as? URLError
                    ?? URLError(
                        .requestBodyStreamExhausted, url: request.url,
                        text: "The body stream failed.", underlying: error))
            return .abort
        }
    }

    func seek(to offset: Int64) -> Bool {
        // If no header was received, libcurl is repeating the request by itself, on a new connection.
        let isRepeatedByLibcurl = sent.requests > 1 && reception.held == nil
        guard state.isWithLibcurl, offset == 0, request.isIdempotent || !isRepeatedByLibcurl
        else {
            return false
        }
        return beginBodyAgain()
    }

    /// - Returns: false if the body cannot be sent again now. Either there is no new stream; or the load has cancelled
    ///   this transfer, because it waits for the stream or prepares the request anew.
    func beginBodyAgain() -> Bool {
        sent.rewind()
        if body?.rewind() == true { return true }
        guard let replacement = load?.newBody(for: self), state.isWithLibcurl else {
            return false
        }
        body = replacement
        continueWhenBodyIsReady()
        return true
    }

    /// Continues the sending when the body has bytes again, if the body is read on another thread.
    func continueWhenBodyIsReady() {
        guard let body, body.isReadElsewhere else { return }
        let key = ObjectIdentifier(self)
        body.whenReady { [jobs = transport.crossThreadJobs] in
            jobs.perform { transport in
                guard let transfer = transport.transfers[key], transfer.pauses.isSending else {
                    return
                }
                transfer.continueIfPossible()
            }
        }
    }

    /// Reports the bytes of the body that libcurl has written to the socket since the last report.
    ///
    /// - Returns: whether nothing is left to report.
    func reportIfSent() -> Bool {
        guard state.isWithLibcurl, let easy else { return true }
        guard takes(.sent) else { return false }
        report(min(easy.uploadedBytes - sent.total, sent.unreported))
        return sent.unreported == 0
    }

    /// Reports as sent all bytes that libcurl has taken. Called when libcurl asks for more, when the response comes, and
    /// when the exchange ends.
    func reportSent() {
        report(sent.unreported)
    }

    private func report(_ bytes: Int64) {
        guard bytes > 0, state.isWithLibcurl, takes(.sent) else { return }
        didMove()
        measured.times.sent(body: bytes, at: MonotonicClock.now)
        if let rate = request.options.sendRate {
            sendPace.moved(bytes, at: rate, now: transport.limitTime)
        }
        trace?.didSend(bytes: bytes)
        var left = bytes
        while left > 0, state.isWithLibcurl, takes(.sent) {
            let piece = sent.report(of: left)
            left -= piece
            guard let load else { return }
            _ = load.callDelegate(.didSend) {
                $0.connection(
                    load, didSendBodyData: piece, totalBytesWritten: sent.total,
                    totalBytesExpectedToWrite: body?.length ?? -1)
            }
        }
    }
}

/// For one transfer: how often libcurl began to send the request, and how much of its body was taken and reported.
struct SentCount {
    /// How many times libcurl was about to send the request; more than once if the request is repeated.
    var requests = 0
    /// Bytes of the body that libcurl has taken, and that no delegate call has reported yet.
    private(set) var unreported: Int64 = 0
    /// Bytes of the body that delegate calls have reported.
    private(set) var total: Int64 = 0

    /// The most bytes that one delegate call reports, as in NSURLConnection.
    private static let pieceLimit: Int64 = 32_768

    /// Notes the size of the piece that libcurl has taken; the pieces before it were reported.
    mutating func take(_ count: Int) {
        unreported = Int64(count)
    }

    /// Marks the bytes of one delegate call as reported.
    ///
    /// - Parameter bytes: how many bytes the caller still has to report; at most `pieceLimit` of them in this call.
    /// - Returns: the bytes of this call.
    mutating func report(of bytes: Int64) -> Int64 {
        let piece = min(bytes, Self.pieceLimit)
        unreported -= piece
        total += piece
        return piece
    }

    /// Counts from 0 again, because the body is sent again from its first byte.
    mutating func rewind() {
        unreported = 0
        total = 0
    }
}
