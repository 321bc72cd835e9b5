import Foundation
import ProcessUse
import Testing

@testable import EventRecorder

// Texts belong to a recording, have room in it, and go with it.
extension RecorderTests {
    private static let ofCode = EventText("a text of code that stays")
    private static let gone = "(text of a recording that is gone)"

    private static func url(_ number: Int) -> URL? { URL(string: "http://a.test/\(number)") }

    private static func recordAddress(_ number: Int) throws -> Recording {
        try record {
            EventRecorder.instant(.note, text: EventText(method: "GET", url: url(number)))
            EventRecorder.instant(.note, text: ofCode)
        }
    }

    @Test
    func `texts beyond their room are left out and counted, and every export says so`() throws {
        try EventRecorder.start(capacity: 1_000, textBytes: 3_000)
        for number in 0..<100 {
            EventRecorder.instant(.note, text: EventText(method: "GET", url: Self.url(number)))
        }
        EventRecorder.instant(.note, text: EventText(method: "GET", url: Self.url(0)))
        EventRecorder.instant(.note, text: Self.ofCode)
        let recording = EventRecorder.stop()

        let texts = recording.events.map { recording.text(of: $0) }
        let kept = texts.prefix { $0 != "(text left out)" }.count
        #expect((15..<25).contains(kept))
        #expect(texts.prefix(kept) == ArraySlice((0..<kept).map { "GET http://a.test/\($0)" }))
        #expect(texts[kept..<100].allSatisfy { $0 == "(text left out)" })
        // What is known has a place already.
        #expect(texts.suffix(2) == ["GET http://a.test/0", "a text of code that stays"])
        #expect(recording.textsLeftOut == 100 - kept)
        #expect(recording.dropped == 0)
        #expect(!recording.isComplete)

        let read = try Recording(jsonLines: recording.jsonLines())
        #expect(read == recording)
        #expect(read.textsLeftOut == 100 - kept)
        let decoded = try JSONDecoder().decode(
            Recording.self, from: JSONEncoder().encode(recording))
        #expect(decoded == recording)
        #expect(recording.merging(read).textsLeftOut == 2 * (100 - kept))
        let trace = String(decoding: try recording.perfettoTrace(), as: UTF8.self)
        #expect(trace.contains("\"textsLeftOut\":\(100 - kept)"))
        let archive = String(decoding: try recording.har(), as: UTF8.self)
        #expect(archive.contains("\(100 - kept) texts were left out"))
    }

    @Test
    func `a recording that has all says so, and its archive has no comment`() throws {
        let recording = try Self.recordAddress(1)
        #expect(recording.isComplete)
        #expect(!String(decoding: try recording.har(), as: UTF8.self).contains("comment"))
    }

    @Test
    func `texts are there as long as a copy of their recording is, whatever is recorded later`()
        throws
    {
        let first = try Self.recordAddress(1)
        let second = try Self.recordAddress(2)
        let copy = second
        _ = try Self.recordAddress(3)
        #expect(first.events.map(\.text.string) == ["GET http://a.test/1", Self.ofCode.string])
        #expect(copy.events.map(\.text.string) == ["GET http://a.test/2", Self.ofCode.string])
        withExtendedLifetime((first, copy)) {}
    }

    @Test
    func `texts of the last recording stay without it until another starts; then they are gone`()
        throws
    {
        let texts = try Self.recordAddress(1).events.map(\.text)
        #expect(texts.map(\.string) == ["GET http://a.test/1", Self.ofCode.string])
        let later = try Self.recordAddress(2)
        #expect(texts.map(\.string) == [Self.gone, Self.ofCode.string])
        #expect(later.events.first?.text.string == "GET http://a.test/2")
    }

    @Test
    func
        `a text of an earlier recording keeps its string in a later one while the earlier one is retained`()
        throws
    {
        let first = try Self.recordAddress(1)
        let text = try #require(first.events.first?.text)
        let second = try Self.record { EventRecorder.instant(.note, text: text) }
        #expect(second.events.map(\.text.string) == ["GET http://a.test/1"])
        withExtendedLifetime(first) {}
    }

    @Test
    func `texts of equal strings are equal, whosever they are`() throws {
        let first = try Self.recordAddress(1)
        let second = try Self.recordAddress(1)
        let third = try Self.recordAddress(2)
        #expect(first.events.map(\.text) == second.events.map(\.text))
        #expect(first.events[0].text != third.events[0].text)
        #expect(first.events[0].text != .none)
        #expect(first.events[0].text == EventText("GET http://a.test/1"))
        #expect(Set([first, second, third].map { $0.events[0].text }).count == 2)
    }

    @Test
    func `texts that were read go with what was read`() throws {
        let lines = try Self.recordAddress(1).jsonLines()
        let all = try (0..<3).map { _ in try Recording(jsonLines: lines).events[0].text }
        #expect(all.map(\.string) == [Self.gone, Self.gone, "GET http://a.test/1"])
    }

    @Test
    func `what code names by the thousand is the process's up to a bound, then the recording's`()
        throws
    {
        let texts = try Self.record {
            for number in 0..<6_000 {
                EventRecorder.instant(.note, text: EventText("sentence \(number)"))
            }
        }.events.map(\.text)
        #expect(texts.map(\.string) == (0..<6_000).map { "sentence \($0)" })
        _ = try Self.record {}
        let left = texts.prefix { $0.string != Self.gone }.count
        #expect(left < 4_096)
        #expect(texts[left...].allSatisfy { $0.string == Self.gone })
        #expect(Self.ofCode.string == "a text of code that stays")
        // The package's own texts have their room all the same, also those that are made now.
        let own = (0..<100).map { EventText(fixed: "a fixed text \($0)") }
        _ = try Self.record {}
        #expect(own.map(\.string) == (0..<100).map { "a fixed text \($0)" })
    }

    // MARK: Exchanges

    private static func keep(_ value: String) -> UInt32 {
        EventRecorder.keepTexts(size: value.utf8.count) {
            ExchangeRecord(
                url: "", method: "", responseHeaders: [(name: "A", value: value)],
                startDate: .distantPast)
        }
    }

    private static func end(_ number: Int, texts: UInt32) {
        var exchange = Exchange(
            EventRecorder.nextNumber(), name: EventText(method: "GET", url: url(number)))
        exchange.sent = EventRecorder.now
        exchange.status = 200
        exchange.texts = texts
        exchange.server = EventText(recorded: "127.0.0.1:80")
        EventRecorder.exchange(exchange, of: EventRecorder.recording)
    }

    @Test
    func `an exchange whose texts have no room is there without them, and says so`() throws {
        try EventRecorder.start(textBytes: 20_000)
        for number in 0..<10 {
            Self.end(number, texts: Self.keep(String(repeating: "x", count: 4_000)))
        }
        let recording = EventRecorder.stop()
        #expect(recording.exchanges.map(\.url) == (0..<10).map { "http://a.test/\($0)" })
        #expect(recording.exchanges.allSatisfy { $0.serverAddress == "127.0.0.1" })
        #expect(recording.exchanges.map(\.isIncomplete) == (0..<10).map { $0 >= 4 })
        #expect(
            recording.exchanges.map(\.responseHeaders.count)
                == [1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
        #expect(recording.textsLeftOut == 6)
        #expect(recording.dropped == 0)
        #expect(try Recording(jsonLines: recording.jsonLines()) == recording)
        let archive = String(decoding: try recording.har(), as: UTF8.self)
        #expect(archive.components(separatedBy: "had no room in the recording").count == 7)
    }

    @Test
    func `an exchange whose address has no room is there without it, and says so`() throws {
        try EventRecorder.start(textBytes: 300)
        for number in 0..<3 { Self.end(number, texts: Self.keep("x")) }
        let recording = EventRecorder.stop()
        #expect(recording.exchanges.map(\.isIncomplete) == [false, false, true])
        #expect(recording.exchanges.last?.url == "(text left out)")
        #expect(recording.exchanges.last?.method == "UNKNOWN")
        #expect(!recording.isComplete)
    }

    @Test
    func `a head that many exchanges share is in the recording once`() throws {
        let before = MemoryInUse.now ?? 0
        try EventRecorder.start()
        let texts = Self.keep(String(repeating: "y", count: 200_000))
        for number in 0..<500 { Self.end(number % 2, texts: texts) }
        let recording = EventRecorder.stop()
        #expect(recording.exchanges.allSatisfy { $0.responseHeaders[0].value.count == 200_000 })
        if MemoryInUse.isKnown { #expect((MemoryInUse.now ?? 0) - before < 10_000_000) }
    }

    @Test
    func `a record's texts count where their size is given`() throws {
        try EventRecorder.start(textBytes: 10_000)
        for number in 0..<5 {
            EventRecorder.exchange(size: 4_000) {
                ExchangeRecord(url: "http://a/\(number)", method: "GET", startDate: Date())
            }
        }
        let recording = EventRecorder.stop()
        #expect(recording.exchanges.map(\.url) == ["http://a/0", "http://a/1"])
        #expect(recording.dropped == 3)
    }

    @Test
    func `a block for the end is called once, unless it was removed`() throws {
        let reported = NSMutableArray()
        let lock = NSLock()
        nonisolated(unsafe) let list = reported
        func add(_ text: String) { lock.withLock { list.add(text) } }
        let (one, other) = (EventRecorder.nextNumber(), EventRecorder.nextNumber())
        _ = try Self.record {
            EventRecorder.whenStopped(one) { lock.withLock { list.add("replaced") } }
            EventRecorder.whenStopped(one) {
                lock.withLock { list.add(EventRecorder.isRecording ? "too early" : "told") }
            }
            EventRecorder.whenStopped(other) { lock.withLock { list.add("gone") } }
            EventRecorder.unwatch(other)
        }
        _ = try Self.record {}
        #expect(reported as? [String] == ["told"])
    }
}
