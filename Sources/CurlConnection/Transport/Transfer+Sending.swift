import CCurl
import Foundation

// The body of the request, and how much of it is on its way.

extension Transfer {
    func send(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        reportSent()
        guard isRunning, let body else { return Int(ccurl_read_abort) }
        switch body.read(into: buffer) {
        case .bytes(let count):
            didMove()
            isSendingPaused = false
            sentUnreported = Int64(count)
            transport.watchSending(of: self)
            return count
        case .end:
            return 0
        case .dry:
            isSendingPaused = true
            pollSoon()
            return Int(ccurl_read_pause)
        case .failed(let error):
            failure =
                error as? URLError
                ?? URLError(
                    .requestBodyStreamExhausted, url: request.url,
                    text: "The body stream failed.", underlying: error)
            return Int(ccurl_read_abort)
        }
    }

    func rewind(to offset: Int64) -> Int32 {
        let isUnasked = requestsSent > 1 && heldHead == nil
        guard isRunning, offset == 0, request.isIdempotent || !isUnasked else {
            return CURL_SEEKFUNC_FAIL
        }
        sentUnreported = 0
        sentTotal = 0
        if body?.rewind() == true { return CURL_SEEKFUNC_OK }
        guard let replacement = delegate?.transferNeedsNewBody(self), isRunning else {
            return CURL_SEEKFUNC_FAIL
        }
        body?.close()
        body = replacement
        return CURL_SEEKFUNC_OK
    }

    /// Reports how many of the bytes handed to libcurl are in the socket by now.
    ///
    /// - Returns: whether nothing is left to report.
    func reportIfSent() -> Bool {
        guard isRunning, let easy else { return true }
        report(min(easy.offset(CURLINFO_SIZE_UPLOAD_T) - sentTotal, sentUnreported))
        return sentUnreported == 0
    }

    /// Bytes handed to libcurl also count as sent once it asks for more, or once an answer comes.
    func reportSent() {
        report(sentUnreported)
    }

    /// As the original did, in pieces: however much the socket took at once, a delegate hears of at
    /// most 32 KiB at a time.
    private func report(_ bytes: Int64) {
        guard bytes > 0, isRunning else { return }
        didMove()
        trace?.didSend(bytes: bytes)
        var left = bytes
        while left > 0, isRunning {
            let piece = min(left, Self.progressPiece)
            left -= piece
            sentUnreported -= piece
            sentTotal += piece
            delegate?.transfer(
                self, didSend: piece, total: sentTotal, expected: body?.length ?? -1)
        }
    }
}
