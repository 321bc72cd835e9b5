import Foundation

struct ReceivedBody {
    var prefix = Data()
    var length: Int64 = 0
    var hash = BodyHash()
    var trailers = HeaderFields()

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        length += Int64(bytes.count)
        hash.add(bytes)
        let room = RecordedRequest.keptBodyLimit - prefix.count
        if room > 0 { prefix.append(contentsOf: bytes.prefix(room)) }
    }
}

/// Finds a body's bytes in what the connection received.
struct BodyReader {
    private enum State {
        case counted(Int64)
        case chunkSize
        case chunk(Int64)
        case chunkEnd
        case trailers
        case done
    }

    private static let lineLimit = 16_384
    private var state: State
    private(set) var received = ReceivedBody()

    init(_ framing: RequestHead.Framing) {
        switch framing {
        case .length(0): state = .done
        case .length(let length): state = .counted(length)
        case .chunked: state = .chunkSize
        }
    }

    var isComplete: Bool {
        if case .done = state { return true }
        return false
    }

    /// Takes the bytes that belong to the body.
    ///
    /// - Returns: their number.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(Malformed) -> Int {
        var position = 0
        while !isComplete {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            let used = try step(rest)
            position += used
            if used == 0 { break }
        }
        return position
    }

    private mutating func step(_ bytes: UnsafeRawBufferPointer) throws(Malformed) -> Int {
        switch state {
        case .done:
            return 0
        case .counted(let left):
            let count = take(bytes, left)
            state = left == Int64(count) ? .done : .counted(left - Int64(count))
            return count
        case .chunk(let left):
            let count = take(bytes, left)
            state = left == Int64(count) ? .chunkEnd : .chunk(left - Int64(count))
            return count
        case .chunkSize:
            guard let line = try line(bytes) else { return 0 }
            let digits = line.text.prefix { $0 != 0x3b && $0 != 0x20 }
            guard let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0
            else { throw Malformed(status: 400) }
            state = size == 0 ? .trailers : .chunk(size)
            return line.used
        case .chunkEnd:
            guard let line = try line(bytes) else { return 0 }
            guard line.text.isEmpty else { throw Malformed(status: 400) }
            state = .chunkSize
            return line.used
        case .trailers:
            return try trailers(bytes)
        }
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer, _ left: Int64) -> Int {
        let count = Int(min(left, Int64(bytes.count)))
        received.add(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return count
    }

    private mutating func trailers(_ bytes: UnsafeRawBufferPointer) throws(Malformed) -> Int {
        guard let line = try line(bytes) else { return 0 }
        if line.text.isEmpty {
            state = .done
        } else {
            var lines = HeaderLines(UnsafeRawBufferPointer(rebasing: bytes[..<line.used]))
            received.trailers.all += try lines.fields().all
        }
        return line.used
    }

    private func line(
        _ bytes: UnsafeRawBufferPointer
    ) throws(Malformed) -> (text: Slice<UnsafeRawBufferPointer>, used: Int)? {
        var lines = HeaderLines(bytes)
        guard let text = lines.next() else {
            if bytes.count > BodyReader.lineLimit { throw Malformed(status: 400) }
            return nil
        }
        return (text, (HeaderLines.lineEnd(in: bytes, from: 0) ?? 0) + 1)
    }
}
