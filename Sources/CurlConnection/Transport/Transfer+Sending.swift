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
                ?? TransferError.error(
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

    /// Reports the bytes handed to libcurl if they are in the socket.
    ///
    /// - Returns: whether nothing is left to report.
    func reportIfSent() -> Bool {
        guard isRunning, sentUnreported > 0, let easy else { return true }
        guard easy.offset(CURLINFO_SIZE_UPLOAD_T) >= sentTotal + sentUnreported else {
            return false
        }
        reportSent()
        return true
    }

    /// Bytes handed to libcurl also count as sent once it asks for more, or once an answer comes.
    func reportSent() {
        guard sentUnreported > 0, isRunning else { return }
        let bytes = sentUnreported
        sentUnreported = 0
        sentTotal += bytes
        trace?.didSend(bytes: bytes)
        delegate?.transfer(
            self, didSend: bytes, total: sentTotal, expected: body?.length ?? -1)
    }
}
