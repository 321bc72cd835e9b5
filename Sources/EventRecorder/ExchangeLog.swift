/// The exchanges of a recording: flat bytes, and how a record is made of them in the end.
///
/// ## Concurrency
/// Call from: one thread at a time; `RecorderControl` sees to that. Lock: none. Calls out: the makers.
final class ExchangeLog {
    typealias Maker = @Sendable (inout FlatBytesReader) -> ExchangeRecord

    private struct Entry {
        let bytes: UnsafeRawBufferPointer
        let make: Maker
    }

    private var entries: [Entry] = []
    /// Never grown, so that nothing is moved.
    private var pages: [UnsafeMutableRawBufferPointer] = []
    /// Bytes of the last page that are used.
    private var used = 0
    /// Bytes of it that the system has made room for.
    private var ready = 0
    private static let pageSize = 1 << 21
    private static let step = 1 << 15

    var count: Int { entries.count }

    deinit {
        for page in pages { page.baseAddress.map { ZeroedMemory.unmap($0, page.count) } }
    }

    func append(_ bytes: UnsafeRawBufferPointer, _ make: @escaping Maker) {
        if pages.last.map({ used + bytes.count <= $0.count }) != true {
            let size = max(bytes.count, Self.pageSize)
            pages.append(
                UnsafeMutableRawBufferPointer(start: ZeroedMemory.map(size), count: size))
            used = 0
            ready = 0
        }
        let page = pages[pages.count - 1]
        let end = used + bytes.count
        if end > ready, let start = page.baseAddress {
            let room = min(max(end - ready, Self.step), page.count - ready)
            ZeroedMemory.populate(start + ready, room)
            ready += room
        }
        let place = UnsafeMutableRawBufferPointer(rebasing: page[used..<end])
        place.copyMemory(from: bytes)
        used = end
        entries.append(Entry(bytes: UnsafeRawBufferPointer(place), make: make))
    }

    /// Makes and redacts the records.
    func records() -> [ExchangeRecord] {
        entries.map { entry in
            var reader = FlatBytesReader(entry.bytes)
            return entry.make(&reader)
        }
    }
}
