import TestSupport

@testable import OperationNetworking

@Suite("Event streams as WHATWG HTML section 9.2.6 interprets them", .timeLimit(.minutes(1)))
struct EventStreamParserTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
        let events: [ServerSentEvent]

        init(_ name: String, _ bytes: [UInt8], _ events: [ServerSentEvent]) {
            (testDescription, self.bytes, self.events) = (name, bytes, events)
        }

        init(_ name: String, _ text: String, _ events: [ServerSentEvent]) {
            self.init(name, Array(text.utf8), events)
        }
    }

    static let table = [
        Case("nothing", "", []),
        Case(
            "the standard's first", "data: YHOO\ndata: +2\ndata: 10\n\n",
            [.init(data: "YHOO\n+2\n10")]),
        Case(
            "the standard's second: comment, ids, an empty id, a space that is kept, no end",
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event",
            [.init(data: "first event", lastEventID: "1"), .init(data: "second event")]),
        Case(
            "the standard's third: empty data counts, and data without its end does not",
            "data\n\ndata\ndata\n\ndata:", [.init(data: ""), .init(data: "\n")]),
        Case(
            "the standard's fourth: one space is dropped", "data:test\n\ndata: test\n\n",
            [.init(data: "test"), .init(data: "test")]),
        Case(
            "a byte order mark at the start", [0xEF, 0xBB, 0xBF] + Array("data: a\n\n".utf8),
            [.init(data: "a")]),
        Case(
            "only the first byte order mark is one",
            [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + Array("data: a\n\n".utf8), []),
        Case(
            "a later byte order mark is text",
            "data: a\n\n\u{FEFF}data: b\n\ndata: \u{FEFF}c\n\n",
            [.init(data: "a"), .init(data: "\u{FEFF}c")]),
        Case(
            "CR alone", "data: a\rdata: b\r\rdata: c\r\r", [.init(data: "a\nb"), .init(data: "c")]),
        Case("CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", [.init(data: "a"), .init(data: "b")]),
        Case(
            "mixed ends", "data: a\r\n\rdata: b\n\r\ndata: c\r\r\n",
            [.init(data: "a"), .init(data: "b"), .init(data: "c")]),
        Case(
            "a type", "event: add\ndata: 7\n\ndata: 8\n\n",
            [.init(type: "add", data: "7"), .init(data: "8")]),
        Case(
            "a type without data is none, and is forgotten", "event: add\n\ndata: 8\n\n",
            [.init(data: "8")]),
        Case("an empty type is message", "event: add\nevent:\ndata: 8\n\n", [.init(data: "8")]),
        Case(
            "an id stays, also from a block without data", "id: 5\n\ndata: a\n\ndata: b\n\n",
            [.init(data: "a", lastEventID: "5"), .init(data: "b", lastEventID: "5")]),
        Case(
            "an id with NUL is ignored", "id: 5\ndata: a\n\nid: 6\u{0}\ndata: b\n\n",
            [.init(data: "a", lastEventID: "5"), .init(data: "b", lastEventID: "5")]),
        Case(
            "an id whose event has no end is not the last one's",
            "id: 5\ndata: a\n\nid: 6\ndata: b",
            [.init(data: "a", lastEventID: "5")]),
        Case(
            "a time to wait", "retry: 2500\n\ndata: a\n\nretry: 07\ndata: b\n\n",
            [
                .init(data: "a", reconnectionTime: .milliseconds(2500)),
                .init(data: "b", reconnectionTime: .milliseconds(7)),
            ]),
        Case(
            "what is no number is no time",
            "retry: 1x\nretry:\nretry: -5\nretry: +5\nretry: 1e3\nretry: ٣\ndata: a\n\n",
            [.init(data: "a")]),
        Case(
            "a number that fits nowhere", "retry: 99999999999999999999\ndata: a\n\n",
            [.init(data: "a")]),
        Case("names are exact", "Data: a\ndata : b\n data: c\ndatax: d\nfoo\n: data: e\n\n", []),
        Case(
            "colons in values", "data: a: b:c\n\ndata::\n\n",
            [.init(data: "a: b:c"), .init(data: ":")]),
        Case("NUL in data stays", "data: a\u{0}b\n\n", [.init(data: "a\u{0}b")]),
        Case("several empty lines", "\n\n\ndata: a\n\n\n\n", [.init(data: "a")]),
        Case(
            "bytes that are no UTF-8", Array("data: a".utf8) + [0xFF, 0xC3] + Array("b\n\n".utf8),
            [.init(data: "a\u{FFFD}\u{FFFD}b")]),
        Case("text of several bytes", "data: žluťoučký 🐎\n\n", [.init(data: "žluťoučký 🐎")]),
    ]

    static func events(_ pieces: [Data], limit: Int = 1 << 20) throws -> [ServerSentEvent] {
        var parser = EventStreamParser(limit: limit)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            parser.feed(piece)
            while let event = try parser.next() { events.append(event) }
        }
        return events
    }

    @Test(arguments: table)
    func `the events are the same at every cut`(_ one: Case) throws {
        for pieces in LineSplitterTests.cuts(Data(one.bytes)) {
            let events = try Self.events(pieces)
            #expect(events == one.events, "\(pieces.map { Array($0) })")
            if events != one.events { return }
        }
    }

    @Test func `an event is there with its empty line, whatever follows`() throws {
        var parser = EventStreamParser(limit: 100)
        parser.feed(Data("data: a\r\r".utf8))
        #expect(try parser.next() == ServerSentEvent(data: "a"))
    }

    @Test func `an id is one text for all events that have it`() throws {
        let id = String(repeating: "i", count: 8_192)
        let text = "id: \(id)\n\n" + String(repeating: "data: a\n\n", count: 10_000)
        let events = try Self.events([Data(text.utf8)], limit: 1 << 24)
        #expect(events.count == 10_000 && events.last?.lastEventID == id)
        // One storage, and no copy for each.
        let places = Set(
            events.map { $0.lastEventID.utf8.withContiguousStorageIfAvailable(\.baseAddress) })
        #expect(places.count == 1)
    }

    @Test func `an id or a type of more than 8,192 bytes is an error, whatever the limit`() throws {
        for field in ["id", "event"] {
            let most = String(repeating: "x", count: 8_192)
            let fine = try Self.events([Data("\(field): \(most)\ndata: a\n\n".utf8)])
            #expect(fine.count == 1)
            #expect(throws: BodyReadingError.tooLong(limit: 8_192)) {
                try Self.events([Data("\(field): \(most)x\ndata: a\n\n".utf8)])
            }
        }
    }

    @Test func `lines without data count, and a long number is no time`() throws {
        let lines = Data(String(repeating: "data\n", count: 1_001).utf8)
        #expect(throws: BodyReadingError.tooLong(limit: 1_000)) {
            try Self.events([lines], limit: 1_000)
        }
        let digits = String(repeating: "9", count: 1_000_000)
        let events = try Self.events([Data("retry: \(digits)\ndata: a\n\n".utf8)], limit: 1 << 24)
        #expect(events == [ServerSentEvent(data: "a")])
    }

    @Test func `more data than the limit is an error, in one line or in many`() throws {
        for text in ["data: abcdefghijklmnop\n", "data: abcdef\ndata: abcdef\n\n"] {
            for pieces in LineSplitterTests.cuts(Data(text.utf8)) {
                #expect(throws: BodyReadingError.tooLong(limit: 12)) {
                    try Self.events(pieces, limit: 12)
                }
            }
        }
    }
}
