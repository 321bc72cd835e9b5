import CZlib
import Foundation

/// One stream of deflate data in its wrapper, decoded a piece at a time.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out on: that thread, asking for input.
final class Inflation {
    private enum Wrapper {
        case gzip
        /// zlib's, or none; the first two bytes tell.
        case unknown
        /// The first byte has been seen.
        case undecided(UInt8)
        case open
    }

    /// On the heap, because zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private let first = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
    private let isGzip: Bool
    private var wrapper: Wrapper
    /// Input that comes after what zlib has.
    private var queued: UnsafeRawBufferPointer?
    /// The last piece filled the buffer, so there may be more.
    private var mayHaveMore = false

    /// Decoded bytes so far.
    private(set) var total = 0
    /// The stream has ended, and nothing of another has begun.
    private(set) var isComplete = false

    init(isGzip: Bool) {
        self.isGzip = isGzip
        wrapper = isGzip ? .gzip : .unknown
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if case .open = wrapper { inflateEnd(stream) }
        stream.deallocate()
        first.deallocate()
        room.deallocate()
    }

    /// The next decoded piece, valid until the next call; nil where the input has ended.
    ///
    /// - Parameter input: called for more once all that it returned before was used.
    func next(
        _ input: () throws(ResponseFault) -> UnsafeRawBufferPointer?
    ) throws(ResponseFault) -> UnsafeRawBufferPointer? {
        while true {
            if !mayHaveMore, stream.pointee.avail_in == 0 {
                if let rest = queued {
                    queued = nil
                    give(rest)
                } else {
                    guard let bytes = try input() else { return nil }
                    guard !bytes.isEmpty, try take(bytes) else { continue }
                }
            }
            if let piece = try step() { return piece }
        }
    }

    /// - Returns: false where more bytes are needed before anything can be decoded.
    private func take(_ bytes: UnsafeRawBufferPointer) throws(ResponseFault) -> Bool {
        switch wrapper {
        case .open:
            give(bytes)
        case .gzip:
            try open(windowBits: 15 + 16)
            give(bytes)
        case .unknown where bytes.count == 1:
            wrapper = .undecided(bytes[0])
            return false
        case .unknown:
            try open(first: bytes[0], second: bytes[1])
            give(bytes)
        case .undecided(let byte):
            try open(first: byte, second: bytes[0])
            first[0] = byte
            give(UnsafeRawBufferPointer(first))
            queued = bytes
        }
        return true
    }

    /// RFC 9110 section 8.4.1.2 means zlib's wrapper; some servers leave it out.
    private func open(first: UInt8, second: UInt8) throws(ResponseFault) {
        let isWrapped = first & 0x0F == 8 && (Int(first) << 8 | Int(second)) % 31 == 0
        try open(windowBits: isWrapped ? 15 : -15)
    }

    private func open(windowBits: Int32) throws(ResponseFault) {
        guard czlib_inflate_init(stream, windowBits) == Z_OK else {
            throw ResponseFault("zlib cannot start.", .resourceUnavailable)
        }
        wrapper = .open
    }

    private func give(_ bytes: UnsafeRawBufferPointer) {
        // zlib does not write through this pointer, though its type is mutable.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(bytes.count)
    }

    private func step() throws(ResponseFault) -> UnsafeRawBufferPointer? {
        if isComplete {
            mayHaveMore = false
            guard stream.pointee.avail_in > 0 else { return nil }
            // A gzip body may have several members; nothing may follow a deflate body.
            guard isGzip, inflateReset(stream) == Z_OK else {
                throw ResponseFault("Bytes follow the coded body's end.", .cannotDecodeContentData)
            }
            isComplete = false
        }
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(room.count)
        let result = CZlib.inflate(stream, Z_NO_FLUSH)
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else {
            let reason = stream.pointee.msg.map { String(cString: $0) } ?? "code \(result)"
            throw ResponseFault("The coded body is broken: \(reason)", .cannotDecodeContentData)
        }
        let count = room.count - Int(stream.pointee.avail_out)
        isComplete = result == Z_STREAM_END
        mayHaveMore = stream.pointee.avail_out == 0 && !isComplete
        total += count
        return count > 0 ? UnsafeRawBufferPointer(rebasing: room[..<count]) : nil
    }
}
