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
        /// In `kinds`.
        let kind: Int
        /// They lie behind the entry.
        let numbersCount: Int
        let texts: UnsafeRawBufferPointer
        var next: UnsafeMutablePointer<Entry>?
    }

    private(set) var count = 0
    private var kinds: [ExchangeKind] = []
    private var first: UnsafeMutablePointer<Entry>?
    private var last: UnsafeMutablePointer<Entry>?
    private var lastTexts = (UnsafeRawBufferPointer(start: nil, count: 0), number: UInt64.max)

    private var pages: [Page] = []
    /// What is free of the last page, and how much of that the system has made room for.
    private var free = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var ready = 0
    private static let pageSize = 1 << 21
    private static let step = 1 << 15

    /// - Parameter number: the texts', which no others have.
    mutating func append(
        _ kind: ExchangeKind, _ numbers: UnsafeRawBufferPointer, _ texts: UnsafeRawBufferPointer,
        number: UInt64
    ) {
        if kinds.last !== kind { kinds.append(kind) }
        if lastTexts.number != number {
            let place = take(texts.count)
            place.copyMemory(from: texts)
            lastTexts = (UnsafeRawBufferPointer(place), number)
        }
        let size = MemoryLayout<Entry>.size
        let place = take(size + numbers.count)
        UnsafeMutableRawBufferPointer(rebasing: place[size...]).copyMemory(from: numbers)
        let entry = place.baseAddress?.initializeMemory(
            as: Entry.self,
            to: Entry(kind: kinds.count - 1, numbersCount: numbers.count, texts: lastTexts.0))
        if let last { last.pointee.next = entry } else { first = entry }
        last = entry
        count += 1
    }

    /// Memory at an address that is good for every number.
    private mutating func take(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let size = (count + 15) & ~15
        if size > ready { makeRoom(for: size) }
        defer {
            free = UnsafeMutableRawBufferPointer(rebasing: free[size...])
            ready -= size
        }
        return UnsafeMutableRawBufferPointer(rebasing: free[..<count])
    }

    @inline(never)
    private mutating func makeRoom(for size: Int) {
        if size > free.count {
            let page = Page(max(size, Self.pageSize))
            pages.append(page)
            free = page.memory
            ready = 0
        }
        let room = min(max(size - ready, Self.step), free.count - ready)
        if let start = free.baseAddress { ZeroedMemory.populate(start + ready, room) }
        ready += room
    }

    /// Makes and redacts the records.
    func records(_ scale: TickScale) -> [ExchangeRecord] {
        var records: [ExchangeRecord] = []
        records.reserveCapacity(count)
        var next = first
        while let entry = next {
            let numbers = UnsafeRawBufferPointer(
                start: UnsafeRawPointer(entry + 1), count: entry.pointee.numbersCount)
            var reader = FlatBytesReader(numbers, entry.pointee.texts, scale)
            records.append(kinds[entry.pointee.kind].make(&reader))
            next = entry.pointee.next
        }
        return records
    }
}

/// Memory that goes with its last holder.
private final class Page {
    let memory: UnsafeMutableRawBufferPointer

    init(_ count: Int) {
        memory = UnsafeMutableRawBufferPointer(start: ZeroedMemory.map(count), count: count)
    }

    deinit {
        if let start = memory.baseAddress { ZeroedMemory.unmap(start, memory.count) }
    }
}
