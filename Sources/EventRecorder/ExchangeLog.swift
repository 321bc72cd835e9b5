/// How a record is made of the bytes of an exchange. One object for all that are alike.
package final class ExchangeKind: Sendable {
    typealias Maker = @Sendable (inout FlatBytesReader) -> ExchangeRecord

    fileprivate let make: Maker

    /// - Parameter make: reads the numbers and then the texts, in the order in which they were
    ///   written.
    package init(_ make: @escaping @Sendable (inout FlatBytesReader) -> ExchangeRecord) {
        self.make = make
    }
}

/// The exchanges of a recording, as bytes.
///
/// An exchange has numbers of its own, and texts that are mostly those of the exchange before: to the
/// same server within the same second. Those are kept once.
///
/// ## Concurrency
/// Call from: one thread at a time; `RecorderControl` sees to that. Lock: none. Calls out: the makers.
struct ExchangeLog {
    private struct Entry {
        var next: UnsafeMutablePointer<Entry>?
        /// Their length, and then they.
        let texts: UnsafeMutableRawPointer
        /// In `kinds`.
        let kind: UInt32
        /// They lie behind the entry.
        let numbersCount: UInt32

        static let size = MemoryLayout<Entry>.size
    }

    private(set) var count = 0
    /// Nearly all exchanges are of the last two.
    private var kinds: [ExchangeKind] = []
    private var first: UnsafeMutablePointer<Entry>?
    private var last: UnsafeMutablePointer<Entry>?
    private var lastTexts: (place: UnsafeMutableRawPointer, number: UInt64)?

    private var pages: [Page]
    /// What is free of the last page begins here: how much, and for how much of that the system has
    /// made room.
    private var free: UnsafeMutableRawPointer
    private var left: Int
    private var ready = 0
    private static let pageSize = 1 << 21
    private static let step = 1 << 15

    init() {
        let page = Page(Self.pageSize)
        (pages, free, left) = ([page], page.start, page.count)
    }

    /// - Parameter number: the texts', which no others have.
    mutating func append(
        _ kind: ExchangeKind, _ numbers: UnsafeRawBufferPointer, _ texts: UnsafeRawBufferPointer,
        number: UInt64
    ) {
        let entry = Entry(
            texts: place(of: texts, number), kind: index(of: kind),
            numbersCount: UInt32(numbers.count))
        let place = take(Entry.size + numbers.count)
        let next = place.initializeMemory(as: Entry.self, to: entry)
        Self.copy(numbers, to: place + Entry.size)
        if let last { last.pointee.next = next } else { first = next }
        last = next
        count += 1
    }

    private mutating func index(of kind: ExchangeKind) -> UInt32 {
        let near = kinds.indices.suffix(2)
        if let index = near.last(where: { kinds[$0] === kind }) { return UInt32(index) }
        kinds.append(kind)
        return UInt32(kinds.count - 1)
    }

    private mutating func place(
        of texts: UnsafeRawBufferPointer, _ number: UInt64
    ) -> UnsafeMutableRawPointer {
        if let lastTexts, lastTexts.number == number { return lastTexts.place }
        let place = take(MemoryLayout<Int>.size + texts.count)
        place.initializeMemory(as: Int.self, to: texts.count)
        Self.copy(texts, to: place + MemoryLayout<Int>.size)
        lastTexts = (place, number)
        return place
    }

    private static func copy(_ bytes: UnsafeRawBufferPointer, to place: UnsafeMutableRawPointer) {
        if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
    }

    /// Memory at an address that is a multiple of 8.
    private mutating func take(_ count: Int) -> UnsafeMutableRawPointer {
        let size = (count + 7) & ~7
        if size > ready { makeRoom(for: size) }
        defer {
            free += size
            left -= size
            ready -= size
        }
        return free
    }

    @inline(never)
    private mutating func makeRoom(for size: Int) {
        if size > left {
            let page = Page(max(size, Self.pageSize))
            pages.append(page)
            (free, left, ready) = (page.start, page.count, 0)
        }
        let room = min(max(size - ready, Self.step), left - ready)
        ZeroedMemory.populate(free + ready, room)
        ready += room
    }

    /// Makes and redacts the records.
    func records(_ scale: TickScale) -> [ExchangeRecord] {
        var records: [ExchangeRecord] = []
        records.reserveCapacity(count)
        var next = first
        while let entry = next {
            let numbers = UnsafeRawBufferPointer(
                start: entry + 1, count: Int(entry.pointee.numbersCount))
            let texts = entry.pointee.texts
            let textsStart = texts + MemoryLayout<Int>.size
            var reader = FlatBytesReader(
                numbers, UnsafeRawBufferPointer(start: textsStart, count: texts.load(as: Int.self)),
                scale)
            records.append(kinds[Int(entry.pointee.kind)].make(&reader))
            next = entry.pointee.next
        }
        return records
    }
}

/// Memory that goes with its last holder.
private final class Page {
    let start: UnsafeMutableRawPointer
    let count: Int

    init(_ count: Int) {
        start = ZeroedMemory.map(count)
        self.count = count
    }

    deinit { ZeroedMemory.unmap(start, count) }
}
