import CZlib
import Foundation

/// Decodes one stream of deflate data with its wrapper, a piece at a time.
///
/// A gzip stream may have several members, each of which must be whole. What follows the end is a member where it
/// begins with gzip's two magic bytes, or is the first of them alone. Everything else there is skipped, as browsers
/// do, because some servers pad what they send.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out on: that thread, for input.
final class Inflation {
    private enum Wrapper {
        case gzip
        /// zlib's or none, by the first two bytes.
        case unknown
        /// Only the first byte was received.
        case undecided(UInt8)
        case open
    }

    /// On the heap, because zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private let first = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
    private let isGzip: Bool
    private var wrapper: Wrapper
    /// Input after what zlib has.
    private var queued: UnsafeRawBufferPointer?
    /// The last piece filled the buffer, so there may be more.
    private var mayHaveMore = false

    /// Decoded bytes so far.
    private(set) var total = 0
    /// The cost so far: decoded bytes, and a multiple of the input's.
    private(set) var work = 0
    /// The stream has ended, and no further member has begun.
    private(set) var isComplete = false
    /// The current member follows another.
    private var isFollowing = false
    /// Bytes after the end. From the first one on all are skipped.
    private var skipped = 0

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
        output.deallocate()
    }

    /// The cost of a call of zlib: an empty member needs one.
    private static let costOfCall = 256
    /// The cost of a byte of input, which may be part of a Huffman table that decodes nothing.
    private static let costOfInput = 4
    /// More bytes after the end are an attack: the caller never sees them.
    private static let mostSkipped = 65_536
    /// The first byte of a gzip member (RFC 1952 section 2.3.1).
    private static let firstByteOfGzip: UInt8 = 0x1F

    /// The next decoded piece, valid until the next call; nil at the end of the input, or when `mayContinue` is false.
    ///
    /// - Parameters:
    ///   - mayContinue: called before each step.
    ///   - input: called for more once all that it returned before was used.
    func next(
        while mayContinue: () -> Bool,
        _ input: () throws(ResponseFault) -> UnsafeRawBufferPointer?
    ) throws(ResponseFault) -> UnsafeRawBufferPointer? {
        while mayContinue() {
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
        return nil
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

    private func give(_ all: UnsafeRawBufferPointer) {
        // Input that decodes to nothing is read in one call of zlib, so that must be short.
        let bytes = UnsafeRawBufferPointer(rebasing: all.prefix(output.count))
        if bytes.count < all.count {
            queued = UnsafeRawBufferPointer(rebasing: all.dropFirst(output.count))
        }
        // zlib does not write through this pointer, though its type is mutable.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(bytes.count)
    }

    private func step() throws(ResponseFault) -> UnsafeRawBufferPointer? {
        if isComplete {
            mayHaveMore = false
            guard stream.pointee.avail_in > 0 else { return nil }
            guard isGzip, skipped == 0, stream.pointee.next_in?.pointee == Self.firstByteOfGzip,
                inflateReset(stream) == Z_OK
            else {
                try skip()
                return nil
            }
            isComplete = false
            isFollowing = true
        }
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(output.count)
        let input = stream.pointee.avail_in
        let result = CZlib.inflate(stream, Z_NO_FLUSH)
        if result == Z_DATA_ERROR, isFollowing, stream.pointee.total_in <= 2 {
            // The second byte is not gzip's.
            isComplete = true
            mayHaveMore = false
            skipped = Int(stream.pointee.total_in)
            try skip()
            return nil
        }
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else {
            let reason = stream.pointee.msg.map { String(cString: $0) } ?? "code \(result)"
            throw ResponseFault("The coded body is broken: \(reason)", .cannotDecodeContentData)
        }
        let count = output.count - Int(stream.pointee.avail_out)
        isComplete = result == Z_STREAM_END
        mayHaveMore = stream.pointee.avail_out == 0 && !isComplete
        total += count
        work +=
            count + Int(input - stream.pointee.avail_in) * Self.costOfInput + Self.costOfCall
        return count > 0 ? UnsafeRawBufferPointer(rebasing: output[..<count]) : nil
    }

    private func skip() throws(ResponseFault) {
        skipped += Int(stream.pointee.avail_in)
        stream.pointee.avail_in = 0
        work += Self.costOfCall
        guard skipped <= Self.mostSkipped else {
            throw ResponseFault(
                "More than \(Self.mostSkipped) bytes follow the coded body's end.",
                .cannotDecodeContentData)
        }
    }
}
