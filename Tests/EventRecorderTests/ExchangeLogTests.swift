import Foundation
import Testing

@testable import EventRecorder

@Suite("Exchanges of a recording", .timeLimit(.minutes(1)))
struct ExchangeLogTests {
    private let scale = TickScale(from: TickScale.Moment(), to: TickScale.Moment())

    private static func one(_ reader: inout FlatBytesReader) -> ExchangeHeads {
        var heads = ExchangeHeads()
        heads.version = reader.next()
        return heads
    }

    private static func other(_ reader: inout FlatBytesReader) -> ExchangeHeads {
        var heads = ExchangeHeads()
        heads.failure = reader.next()
        return heads
    }

    private func keep(
        _ text: String, in log: inout ExchangeLog, _ read: @escaping ExchangeLog.Reader = one
    ) -> UInt32 {
        var texts = FlatBytes()
        texts.append(text)
        return log.keep(texts.bytes, read)
    }

    private func stored(_ value: Int, _ texts: UInt32, at time: UInt64) -> StoredExchange {
        var numbers = ExchangeNumbers()
        numbers.texts = texts
        return StoredExchange(
            Event(time: time, value: Int64(value), kind: .transfer, phase: .end), numbers, nil)
    }

    @Test("Each record is made of its own numbers and texts, by its own reader")
    func texts() {
        var log = ExchangeLog(bytes: .max)
        let long = String(repeating: "x", count: 4000)
        let numbers = (0..<1000).map { number in
            keep("\(number)" + long, in: &log, number % 3 == 0 ? Self.other : Self.one)
        }

        let records = log.records(
            (0..<5000).map { stored($0, numbers[$0 % 1000], at: UInt64($0)) }, scale)

        #expect(records.map(\.status) == Array(0..<5000))
        for (index, record) in records.enumerated() {
            let text = "\(index % 1000)" + long
            let isOther = index % 1000 % 3 == 0
            #expect((isOther ? record.error : record.httpVersion) == text)
            #expect((isOther ? record.httpVersion : record.error ?? "") == "")
        }
    }

    @Test("Texts larger than a page, and empty ones, are whole")
    func large() {
        var log = ExchangeLog(bytes: .max)
        let all = [String(repeating: "y", count: 3 << 20), "b", "", "c"]
        let numbers = all.map { keep($0, in: &log) }
        let records = log.records(numbers.map { stored(1, $0, at: UInt64($0)) }, scale)
        #expect(records.map(\.httpVersion) == all)
    }

    @Test("Records come in the order in which the exchanges ended, whoever made them")
    func order() {
        var log = ExchangeLog(bytes: .max)
        let texts = keep("", in: &log)
        let before = Ticks.now
        log.append { ExchangeRecord(url: "", method: "", status: 2, startDate: Date()) }
        let after = Ticks.now
        let records = log.records(
            [stored(3, texts, at: after), stored(1, texts, at: before)], scale)
        #expect(records.map(\.status) == [1, 2, 3])
    }

    @Test("No exchange makes no record")
    func empty() {
        #expect(ExchangeLog(bytes: .max).records([], scale).isEmpty)
    }
}
