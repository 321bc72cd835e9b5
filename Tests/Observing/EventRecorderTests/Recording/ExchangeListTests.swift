import Foundation
import Testing

@testable import EventRecorder

@Suite("Exchanges of a recording", .timeLimit(.minutes(1)))
struct ExchangeListTests {
    private let date = Date(timeIntervalSince1970: 0)

    private func records(_ list: ExchangeList) -> [ExchangeRecord] {
        list.records(since: 0, date)
    }

    private func exchange(_ status: Int, _ texts: UInt32) -> Exchange {
        var exchange = Exchange(7, name: .none)
        exchange.status = status
        exchange.texts = texts
        return exchange
    }

    private func keep(_ version: String, in list: inout ExchangeList, size: Int = 0) -> UInt32 {
        list.keepTexts(size: size) { [date] in
            ExchangeRecord(url: "", method: "", httpVersion: version, startDate: date)
        }
    }

    @Test
    func `each record is made of its own numbers and texts`() {
        var list = ExchangeList(capacity: 5000, bytes: .max)
        let numbers = (0..<1000).map { keep("\($0)", in: &list) }
        for status in 0..<5000 {
            list.add(exchange(status, numbers[status % 1000]), at: UInt64(status), nil)
        }

        let records = records(list)

        #expect(records.map(\.status) == Array(0..<5000))
        #expect(records.map(\.httpVersion) == (0..<5000).map { "\($0 % 1000)" })
        #expect(records.allSatisfy { $0.subject == 7 })
    }

    @Test
    func `times are from the start, and those of a connection are its first exchange's`() {
        var list = ExchangeList(capacity: 2, bytes: .max)
        var exchange = exchange(200, keep("", in: &list))
        let start = exchange.start - 250_000_000
        (exchange.sent, exchange.answered) = (exchange.start + 1, exchange.start + 2_000_001)
        let connecting = ExchangeRecord.Timings(dns: 1, connect: 2, ssl: 3)
        list.add(exchange, at: exchange.start + 5_000_001, connecting)
        list.add(exchange, at: exchange.start + 5_000_001, nil)

        let records = list.records(since: start, date)

        #expect(records.map(\.startDate) == [date + 0.25, date + 0.25])
        let rest = ExchangeRecord.Timings(send: 0, wait: 2, receive: 3)
        #expect(records.last?.timings == rest)
        #expect(
            records.first?.timings
                == ExchangeRecord.Timings(dns: 1, connect: 2, ssl: 3, send: 0, wait: 2, receive: 3))
    }

    @Test
    func `records come in the order in which the exchanges ended, whoever made them`() {
        var list = ExchangeList(capacity: 2, bytes: .max)
        let texts = keep("", in: &list)
        let before = EventRecorder.now
        list.add(size: 0) { [date] in
            ExchangeRecord(url: "", method: "", status: 2, startDate: date)
        }
        list.add(exchange(3, texts), at: EventRecorder.now, nil)
        list.add(exchange(1, texts), at: before - 1, nil)
        #expect(records(list).map(\.status) == [1, 2, 3])
    }

    @Test
    func `beyond the capacity, and without texts, exchanges are dropped and counted`() {
        var list = ExchangeList(capacity: 2, bytes: .max)
        let texts = (0..<3).map { _ in keep("", in: &list) }
        #expect(texts == [1, 2, 0])
        for text in texts { list.add(exchange(1, text), at: 1, nil) }
        list.add(exchange(2, 1), at: 1, nil)
        #expect(records(list).count == 2)
        #expect(list.droppedCount == 2)
        for _ in 0..<3 {
            list.add(size: 0) { [date] in ExchangeRecord(url: "", method: "", startDate: date) }
        }
        #expect(records(list).count == 4)
        #expect(list.droppedCount == 3)
    }

    @Test
    func `texts without room are left out, and their exchanges say so`() {
        var list = ExchangeList(capacity: 10, bytes: 200)
        let texts = [keep("a", in: &list, size: 100), keep("b", in: &list, size: 100)]
        for text in texts { list.add(exchange(1, text), at: 1, nil) }
        #expect(records(list).map(\.isIncomplete) == [false, true])
        #expect(records(list).map(\.httpVersion) == ["a", ""])
        #expect(list.leftOutCount == 1)
        #expect(list.droppedCount == 0)
    }

    @Test
    func `no exchange makes no record`() {
        #expect(records(ExchangeList(capacity: 1, bytes: .max)).isEmpty)
    }
}
