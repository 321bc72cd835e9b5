import CZlib
import Foundation

/// One stream of deflate data in its wrapper, decoded a piece at a time.
///
/// A gzip stream may have several members, each of which must be whole: what begins with the two bytes of gzip's
/// mark, or with the first of them and no more, is one. All else behind the end is passed over, whatever the
/// wrapper, as browsers do: some servers pad what they send. A stream that ends early is not helped by that.
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
    /// What decoding has cost so far: bytes given out, and bytes taken in, which cost more where they give
    /// nothing.
    private(set) var work = 0
    /// The stream has ended, and nothing of another has begun.
    private(set) var isComplete = false
    /// What was begun follows a member that has ended.
    private var isFollowing = false
    /// Bytes behind the end that are no part of it; where there is one, all that come are none.
    private var passedOver = 0

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

    /// Beside its bytes a call of zlib's costs so much: members of no bytes have one each.
    private static let costOfCall = 256
    /// More bytes behind the end are an attack: nobody hears of them.
    private static let mostPassedOver = 65_536
    /// The first byte of a gzip member (RFC 1952 section 2.3.1).
    private static let mark: UInt8 = 0x1F
    /// A byte of input may be part of a table that is made and gives nothing.
    private static let costOfInput = 4

    /// The next decoded piece, valid until the next call; nil where the input has ended, or where the work has.
    ///
    /// - Parameters:
    ///   - mayGoOn: asked before each step, whether there may be more work.
    ///   - input: called for more once all that it returned before was used.
    func next(
        while mayGoOn: () -> Bool,
        _ input: () throws(ResponseFault) -> UnsafeRawBufferPointer?
    ) throws(ResponseFault) -> UnsafeRawBufferPointer? {
        while mayGoOn() {
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
        // One call of zlib's takes all that it has, where nothing comes of it.
        let bytes = UnsafeRawBufferPointer(rebasing: all.prefix(room.count))
        if bytes.count < all.count {
            queued = UnsafeRawBufferPointer(rebasing: all.dropFirst(room.count))
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
            guard isGzip, passedOver == 0, stream.pointee.next_in?.pointee == Self.mark,
                inflateReset(stream) == Z_OK
            else {
                try passOver()
                return nil
            }
            isComplete = false
            isFollowing = true
        }
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(room.count)
        let input = stream.pointee.avail_in
        let result = CZlib.inflate(stream, Z_NO_FLUSH)
        if result == Z_DATA_ERROR, isFollowing, stream.pointee.total_in <= 2 {
            // The second byte is not that of the mark.
            isComplete = true
            mayHaveMore = false
            passedOver = Int(stream.pointee.total_in)
            try passOver()
            return nil
        }
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else {
            let reason = stream.pointee.msg.map { String(cString: $0) } ?? "code \(result)"
            throw ResponseFault("The coded body is broken: \(reason)", .cannotDecodeContentData)
        }
        let count = room.count - Int(stream.pointee.avail_out)
        isComplete = result == Z_STREAM_END
        mayHaveMore = stream.pointee.avail_out == 0 && !isComplete
        total += count
        work +=
            count + Int(input - stream.pointee.avail_in) * Self.costOfInput + Self.costOfCall
        return count > 0 ? UnsafeRawBufferPointer(rebasing: room[..<count]) : nil
    }

    private func passOver() throws(ResponseFault) {
        passedOver += Int(stream.pointee.avail_in)
        stream.pointee.avail_in = 0
        work += Self.costOfCall
        guard passedOver <= Self.mostPassedOver else {
            throw ResponseFault(
                "More than \(Self.mostPassedOver) bytes follow the coded body's end.",
                .cannotDecodeContentData)
        }
    }
}
