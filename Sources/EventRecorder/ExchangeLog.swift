/// What an exchange has besides numbers, as a record needs it.
package struct ExchangeHeads {
    package typealias Fields = [(name: String, value: String)]

    package var requestFields: Fields = []
    package var version = ""
    package var responseFields: Fields = []
    package var mimeType = ""
    /// An error's text; empty without one.
    package var failure = ""

    package init() {}
}

/// What a recording has of exchanges beside the threads' logs: their texts, which are mostly those of
/// the exchange before, and records that are made at the end.
///
/// ## Concurrency
/// Call from: one thread at a time; `RecorderControl` sees to that. Lock: none. Calls out: the makers
/// and readers, at the end.
struct ExchangeLog {
    typealias Reader = @Sendable (inout FlatBytesReader) -> ExchangeHeads

    /// Texts as a record has them. Those of many exchanges may be the same ones, which are here once.
    struct Redacted {
        let heads: ExchangeHeads
        let requestHeaders: [ExchangeRecord.Header]
        let responseHeaders: [ExchangeRecord.Header]
        let areLeftOut: Bool

        init(_ heads: ExchangeHeads, areLeftOut: Bool = false) {
            requestHeaders = Redaction.fields(heads.requestFields)
            responseHeaders = Redaction.fields(heads.responseFields)
            self.heads = heads
            self.areLeftOut = areLeftOut
        }
    }

    private struct Texts {
        let place: UnsafeRawBufferPointer
        let read: Reader
    }

    /// The number of texts for which there was no room.
    static let leftOut = UInt32.max

    private var texts: [Texts] = []
    private var makers: [(ticks: UInt64, make: @Sendable () -> ExchangeRecord)] = []

    private var pages: [Page] = []
    /// What is free of the last page begins here.
    private var free = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private static let pageSize = 1 << 18
    /// Bytes that texts may still take.
    private var room: Int
    /// What texts take besides their bytes.
    private static let overhead = 64
    private(set) var leftOutCount = 0

    /// - Parameter bytes: the most that texts may take.
    init(bytes: Int) {
        room = bytes
    }

    var madeCount: Int { makers.count }
    var textsCount: Int { texts.count }

    /// Copies the texts of an exchange.
    ///
    /// - Returns: their number, from 1; `leftOut` where there is no room.
    mutating func keep(_ bytes: UnsafeRawBufferPointer, _ read: @escaping Reader) -> UInt32 {
        guard takeRoom(for: bytes.count) else {
            leftOutCount += 1
            return Self.leftOut
        }
        if bytes.count > free.count {
            let page = Page(max(bytes.count, Self.pageSize))
            pages.append(page)
            free = page.bytes
        }
        let place = UnsafeMutableRawBufferPointer(rebasing: free[..<bytes.count])
        place.copyMemory(from: bytes)
        free = UnsafeMutableRawBufferPointer(rebasing: free[bytes.count...])
        texts.append(Texts(place: UnsafeRawBufferPointer(place), read: read))
        return UInt32(texts.count)
    }

    private mutating func takeRoom(for count: Int) -> Bool {
        guard count + Self.overhead <= room else { return false }
        room -= count + Self.overhead
        return true
    }

    /// - Parameter size: the bytes that the record's texts take until it is made.
    /// - Returns: whether there is room.
    @discardableResult
    mutating func append(
        _ size: Int = 0, _ make: @escaping @Sendable () -> ExchangeRecord
    ) -> Bool {
        guard takeRoom(for: size) else { return false }
        makers.append((Ticks.now, make))
        return true
    }

    /// Makes and redacts all records, in the order in which the exchanges ended.
    ///
    /// - Parameter stored: what stood in the logs.
    func records(_ stored: [StoredExchange], _ scale: TickScale) -> [ExchangeRecord] {
        var known: [UInt32: Redacted] = [:]
        let read = stored.map { exchange in
            let number = exchange.numbers.texts
            let texts = known[number] ?? redacted(number)
            known[number] = texts
            return (exchange.end.time, exchange.record(texts, scale))
        }
        let made = makers.map { ($0.ticks, $0.make()) }
        return (read + made).sorted { $0.0 < $1.0 }.map(\.1)
    }

    private func redacted(_ number: UInt32) -> Redacted {
        if number == Self.leftOut { return Redacted(ExchangeHeads(), areLeftOut: true) }
        let texts = texts[Int(number) - 1]
        var reader = FlatBytesReader(texts.place)
        return Redacted(texts.read(&reader))
    }
}

/// Memory that goes with its last holder.
private final class Page {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ count: Int) {
        bytes = UnsafeMutableRawBufferPointer(start: ZeroedMemory.map(count), count: count)
    }

    deinit {
        if let start = bytes.baseAddress { ZeroedMemory.unmap(start, bytes.count) }
    }
}
