import Foundation

/// The numbers of an exchange until the recording stops, with its texts by number.
package struct Exchange: BitwiseCopyable {
    /// The event's subject.
    package let transfer: UInt64
    /// Method and URL.
    package let name: EventText
    /// Nanoseconds by the clock of ``Event/time``; 0 for a phase that was not reached.
    package let start = EventRecorder.now
    package var sent: UInt64 = 0
    package var answered: UInt64 = 0
    /// The response's status; 0 without a response.
    package var status = 0
    /// The connection's number; 0 where none is known.
    package var socket: UInt64 = 0
    /// Address and port of the peer: "127.0.0.1:80" or "::1:80".
    package var server = EventText.none
    package var sentBytes: Int64 = 0
    package var receivedBytes: Int64 = 0
    /// Bytes after decoding; negative without a content coding.
    package var decodedBytes: Int64 = -1
    /// From `EventRecorder.keepTexts`.
    package var texts: UInt32 = 0

    package init(_ transfer: UInt64, name: EventText) {
        (self.transfer, self.name) = (transfer, name)
    }
}

/// The exchanges of a recording. Their records are made, and redacted, when it has stopped.
struct ExchangeList {
    /// The number of texts that exceeded the limit.
    private static let leftOut = UInt32.max
    /// The bytes that texts take besides their reported size.
    private static let overhead = 64

    private let capacity: Int
    private var remainingBytes: Int
    private var exchanges: [(Exchange, end: UInt64, connecting: ExchangeRecord.Timings?)] = []
    private var texts: [@Sendable () -> ExchangeRecord] = []
    private var makers: [(end: UInt64, make: @Sendable () -> ExchangeRecord)] = []
    private(set) var droppedCount = 0
    private(set) var leftOutCount = 0

    /// - Parameters:
    ///   - capacity: the most exchanges, texts, and closures that make records, of each.
    ///   - bytes: the most that texts may take.
    init(capacity: Int, bytes: Int) {
        (self.capacity, remainingBytes) = (capacity, bytes)
    }

    /// - Returns: their number, also where they are left out; 0 where there are too many.
    mutating func keepTexts(size: Int, _ make: @escaping @Sendable () -> ExchangeRecord) -> UInt32 {
        guard texts.count < capacity else { return 0 }
        guard reserve(for: size) else {
            leftOutCount += 1
            return Self.leftOut
        }
        texts.append(make)
        return UInt32(texts.count)
    }

    private mutating func reserve(for size: Int) -> Bool {
        guard size + Self.overhead <= remainingBytes else { return false }
        remainingBytes -= size + Self.overhead
        return true
    }

    /// Drops an exchange without texts.
    mutating func add(
        _ exchange: Exchange, at end: UInt64, _ connecting: ExchangeRecord.Timings?
    ) {
        guard exchange.texts > 0, exchanges.count < capacity else { return droppedCount += 1 }
        exchanges.append((exchange, end, connecting))
    }

    /// - Parameter size: the bytes that the closure holds until the record is made.
    mutating func add(size: Int, _ make: @escaping @Sendable () -> ExchangeRecord) {
        guard makers.count < capacity, reserve(for: size) else { return droppedCount += 1 }
        makers.append((EventRecorder.now, make))
    }

    /// All records, in the order in which the exchanges ended.
    func records(since start: UInt64, _ startDate: Date) -> [ExchangeRecord] {
        var leftOut = ExchangeRecord(url: "", method: "", httpVersion: "", startDate: startDate)
        leftOut.leftOut = true
        var known = [Self.leftOut: leftOut]
        let read = exchanges.map { exchange, end, connecting in
            var record = known[exchange.texts] ?? texts[Int(exchange.texts) - 1]()
            known[exchange.texts] = record
            record.timings = connecting ?? ExchangeRecord.Timings()
            exchange.complete(&record, at: end)
            let nanoseconds = Int64(bitPattern: exchange.start &- start)
            record.startDate = Timestamp.inMilliseconds(startDate + Double(nanoseconds) / 1e9)
            return (end: end, record)
        }
        let made = makers.map { (end: $0.end, $0.make()) }
        return (read + made).sorted { $0.end < $1.end }.map(\.1)
    }
}

extension Exchange {
    /// Completes a record with what its texts, which other exchanges may share, do not have.
    fileprivate func complete(_ record: inout ExchangeRecord, at end: UInt64) {
        record.subject = transfer
        // "GET http://host/path", redacted.
        let words = name.string.split(separator: " ", maxSplits: 1).map(String.init)
        (record.method, record.url) = (words.first ?? "", words.dropFirst().first ?? "")
        if name == .leftOut || name == .gone {
            (record.method, record.url, record.leftOut) = ("UNKNOWN", name.string, true)
        }
        record.status = status
        record.requestBodyBytes = sentBytes
        record.responseBodyBytes = receivedBytes
        record.responseContentBytes = decodedBytes < 0 ? nil : decodedBytes
        let server = server.string
        record.serverAddress = server.lastIndex(of: ":").map { String(server[..<$0]) }
        if sent > 0 { record.connection = "\(socket)" }
        if answered > 0 {
            record.timings.send = 0
            record.timings.wait = Double(answered &- sent) / 1e6
            record.timings.receive = Double(end &- answered) / 1e6
        }
    }
}
