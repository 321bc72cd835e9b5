package import Foundation

/// Interprets an event stream (WHATWG HTML, section 9.2.6), wherever its pieces are cut.
package struct EventStreamParser: Sendable {
    private let limit: Int
    private var lines: LineSplitter
    private var isFirstLine = true

    // The buffers of the standard.
    private var data: [UInt8] = []
    private var type: [UInt8] = []
    /// One text for all events that have it.
    private var lastEventID = ""
    private var reconnectionTime: Duration?

    /// - Parameter limit: the most bytes of a line, and of an event's data.
    package init(limit: Int) {
        self.limit = limit
        lines = LineSplitter(limit: limit)
    }

    /// Takes a piece; the events of the one before were all asked for.
    package mutating func feed(_ piece: Data) {
        lines.feed(piece)
    }

    /// The next event of the piece; nil where it holds no more. An event whose empty line does not
    /// come is none.
    package mutating func next() throws(BodyReadingError) -> ServerSentEvent? {
        while let line = try lines.next() {
            var line = line[...]
            if isFirstLine {
                isFirstLine = false
                if line.starts(with: Self.byteOrderMark) { line = line.dropFirst(3) }
            }
            if line.isEmpty {
                if let event = dispatched() { return event }
            } else {
                try process(line)
            }
        }
        return nil
    }

    /// A line that begins with a colon is a comment; one without a colon is a field without a value.
    private mutating func process(_ line: ArraySlice<UInt8>) throws(BodyReadingError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return try set(line, []) }
        guard colon > line.startIndex else { return }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        try set(line[..<colon], value)
    }

    private mutating func set(
        _ field: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>
    ) throws(BodyReadingError) {
        switch Self.text(field) {
        case "event":
            guard value.count <= Self.longestName else { throw .tooLong(limit: Self.longestName) }
            type = Array(value)
        case "data":
            guard data.count + value.count < limit else { throw .tooLong(limit: limit) }
            data.append(contentsOf: value)
            data.append(Self.lineFeed)
        case "id":
            // Ignored, it would leave an earlier event's id to who connects again.
            guard value.count <= Self.longestName else { throw .tooLong(limit: Self.longestName) }
            if !value.contains(0) { lastEventID = Self.text(value) }
        case "retry":
            // A number that is too large for a time changes nothing.
            guard value.allSatisfy({ (0x30...0x39).contains($0) }),
                let milliseconds = Int32(Self.text(value))
            else { return }
            reconnectionTime = .milliseconds(milliseconds)
        default: break
        }
    }

    /// The event that an empty line ends; one without data is none.
    private mutating func dispatched() -> ServerSentEvent? {
        defer { (data, type) = ([], []) }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : Self.text(type[...]), data: Self.text(data.dropLast()),
            lastEventID: lastEventID, reconnectionTime: reconnectionTime)
    }

    /// Bytes that are no UTF-8 become U+FFFD.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// The most bytes of an event's type or id; the id goes into a field of a request.
    private static let longestName = 8_192
    private static let lineFeed = UInt8(ascii: "\n")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
