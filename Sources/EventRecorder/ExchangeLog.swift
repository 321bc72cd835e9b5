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

    private struct Texts {
        let place: UnsafeRawBufferPointer
        let read: Reader
    }

    private var texts: [Texts] = []
    private var makers: [(ticks: UInt64, make: @Sendable () -> ExchangeRecord)] = []

    private var pages: [Page] = []
    /// What is free of the last page begins here.
    private var free = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private static let pageSize = 1 << 18

    var madeCount: Int { makers.count }
    var textsCount: Int { texts.count }

    /// Copies the texts of an exchange.
    ///
    /// - Returns: their number, from 1.
    mutating func keep(_ bytes: UnsafeRawBufferPointer, _ read: @escaping Reader) -> UInt32 {
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

    mutating func append(_ make: @escaping @Sendable () -> ExchangeRecord) {
        makers.append((Ticks.now, make))
    }

    /// Makes and redacts all records, in the order in which the exchanges ended.
    ///
    /// - Parameter stored: what stood in the logs.
    func records(_ stored: [StoredExchange], _ scale: TickScale) -> [ExchangeRecord] {
        let read = stored.map { ($0.end.time, $0.record(heads($0.numbers.texts), scale)) }
        let made = makers.map { ($0.ticks, $0.make()) }
        return (read + made).sorted { $0.0 < $1.0 }.map(\.1)
    }

    private func heads(_ number: UInt32) -> ExchangeHeads {
        let texts = texts[Int(number) - 1]
        var reader = FlatBytesReader(texts.place)
        return texts.read(&reader)
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
