/// Bytes that were received and not yet used.
struct InputBuffer {
    private var bytes: [UInt8] = []
    private var start = 0
    private var searched = 0

    var count: Int { bytes.count - start }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: more)
    }

    /// Takes the next complete head; nil when more bytes are needed.
    mutating func takeHead() throws(Malformed) -> RequestHead? {
        skipBlankLines()
        let from = max(start, searched - 3)
        guard let end = bytes.withUnsafeBytes({ HeaderLines.headEnd(in: $0, from: from) }) else {
            searched = bytes.count
            if count > RequestHead.limit { throw Malformed(status: 431) }
            return nil
        }
        guard end - start <= RequestHead.limit else { throw Malformed(status: 431) }
        let range = start..<end
        let head = bytes.withUnsafeBytes { bytes -> Result<RequestHead, Malformed> in
            do throws(Malformed) {
                return .success(try RequestHead(UnsafeRawBufferPointer(rebasing: bytes[range])))
            } catch {
                return .failure(error)
            }
        }
        consume(range.count)
        return try head.get()
    }

    mutating func read(into body: inout BodyReader) throws(Malformed) {
        guard count > 0, !body.isComplete else { return }
        let from = start
        let used = bytes.withUnsafeBytes { bytes -> Result<Int, Malformed> in
            do throws(Malformed) {
                return .success(try body.read(UnsafeRawBufferPointer(rebasing: bytes[from...])))
            } catch {
                return .failure(error)
            }
        }
        consume(try used.get())
    }

    /// A server ignores blank lines before a request line (RFC 9112 section 2.2).
    private mutating func skipBlankLines() {
        while start < bytes.count, bytes[start] == 0x0d || bytes[start] == 0x0a {
            consume(1)
        }
    }

    private mutating func consume(_ used: Int) {
        start += used
        searched = start
        if start == bytes.count {
            if bytes.capacity > 65_536 {
                bytes = []
            } else {
                bytes.removeAll(keepingCapacity: true)
            }
            start = 0
            searched = 0
        } else if start > 65_536 {
            bytes.removeFirst(start)
            start = 0
            searched = 0
        }
    }
}
