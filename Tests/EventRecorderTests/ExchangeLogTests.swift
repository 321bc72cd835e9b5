import Foundation
import Testing

@testable import EventRecorder

@Suite("Exchanges, kept as bytes", .timeLimit(.minutes(1)))
struct ExchangeLogTests {
    private static let one = ExchangeKind { record(&$0, method: "ONE") }
    private static let other = ExchangeKind { record(&$0, method: "OTHER") }
    private let scale = TickScale(from: TickScale.Moment(), to: TickScale.Moment())

    private static func record(
        _ reader: inout FlatBytesReader, method: String
    ) -> ExchangeRecord {
        let number: Int = reader.next()
        return ExchangeRecord(
            url: reader.next(), method: method, status: number, startDate: Date())
    }

    private func append(
        _ kind: ExchangeKind, _ number: Int, _ text: String, _ textNumber: UInt64,
        to log: inout ExchangeLog
    ) {
        var texts = FlatBytes()
        texts.append(text)
        withUnsafeBytes(of: number) { log.append(kind, $0, texts.bytes, number: textNumber) }
    }

    @Test("Each record is made of its own numbers and texts, by its own kind, in order")
    func order() {
        var log = ExchangeLog()
        let texts = ["http://a/", "http://b/long/" + String(repeating: "x", count: 4000)]
        for number in 0..<5000 {
            let isOther = number % 3 == 0
            append(
                isOther ? Self.other : Self.one, number, texts[number / 7 % 2],
                UInt64(number / 7), to: &log)
        }

        let records = log.records(scale)

        #expect(log.count == 5000)
        #expect(records.map(\.status) == Array(0..<5000))
        #expect(records.map(\.url) == (0..<5000).map { texts[$0 / 7 % 2] })
        #expect(records.map(\.method) == (0..<5000).map { $0 % 3 == 0 ? "OTHER" : "ONE" })
    }

    @Test("Texts that come back after others, and texts larger than a page, are whole")
    func large() {
        var log = ExchangeLog()
        let large = "http://a/" + String(repeating: "y", count: 3 << 20)
        append(Self.one, 1, large, 1, to: &log)
        append(Self.one, 2, "http://b/", 2, to: &log)
        append(Self.one, 3, large, 3, to: &log)
        append(Self.one, 4, "", 4, to: &log)

        #expect(log.records(scale).map(\.url) == [large, "http://b/", large, ""])
    }

    @Test("No exchange makes no record")
    func empty() {
        #expect(ExchangeLog().records(scale).isEmpty)
    }
}
