/// The exchanges of a recording: flat bytes, and how a record is made of them in the end.
struct ExchangeLog {
    typealias Maker = @Sendable (inout FlatBytesReader) -> ExchangeRecord

    private struct Entry {
        let page: Int
        let range: Range<Int>
        let make: Maker
    }

    private var entries: [Entry] = []
    /// Never grown, so that nothing is moved.
    private var pages: [[UInt8]] = []
    private static let pageSize = 1 << 20

    var count: Int { entries.count }

    mutating func append(_ bytes: FlatBytes, _ make: @escaping Maker) {
        let count = bytes.bytes.count
        if pages.last.map({ $0.count + count <= $0.capacity }) != true {
            var page: [UInt8] = []
            page.reserveCapacity(max(count, Self.pageSize))
            pages.append(page)
        }
        let page = pages.count - 1
        let start = pages[page].count
        pages[page].append(contentsOf: bytes.bytes)
        entries.append(Entry(page: page, range: start..<start + count, make: make))
    }

    /// Makes and redacts the records.
    func records() -> [ExchangeRecord] {
        entries.map { entry in
            var reader = FlatBytesReader(pages[entry.page][entry.range])
            return entry.make(&reader)
        }
    }
}
