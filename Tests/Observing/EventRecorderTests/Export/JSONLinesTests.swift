import EventRecorder
import Foundation
import Testing

@Suite("Recordings in JSON lines", .timeLimit(.minutes(1)))
struct JSONLinesTests {
    private func lines(_ recording: Recording) -> [String] {
        String(decoding: recording.jsonLines(), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }

    @Test
    func `a line for the recording, for each event and for each exchange`() throws {
        let exchange = ExchangeRecord(
            url: "http://a/", method: "GET", startDate: Date(timeIntervalSince1970: 0.5))
        let recording = Sample.recording(
            [
                Sample.event(1250, .lockHold, .begin, subject: 1, value: 2),
                Sample.event(1300, .note, text: "a \"b\"", thread: Sample.network),
            ], exchanges: [exchange], dropped: 3)

        let lines = lines(recording)

        #expect(lines.count == 4)
        #expect(
            lines[1] == #"{"time":1250,"kind":"lockHold","phase":"begin","thread":100,"#
                + #""subject":1,"value":2}"#)
        #expect(
            lines[2] == #"{"time":1300,"kind":"note","phase":"instant","thread":101,"#
                + #""text":"a \"b\""}"#)
        let first = try #require(
            try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: [String: Any]])
        let header = try #require(first["recording"])
        #expect(header["version"] as? Int == 1)
        #expect(header["process"] as? String == "eras")
        #expect(header["startDate"] as? String == "2015-11-11T09:30:00.250Z")
        #expect(header["threads"] as? [String: String] == ["100": "main", "101": "AFNetworking"])
        #expect(header["dropped"] as? Int == 3)
        #expect(header["events"] as? Int == 2)
        #expect(lines[3].hasPrefix(#"{"exchange":{"#))
        #expect(lines[3].contains(#""startDate":"1970-01-01T00:00:00.500Z""#))
    }

    @Test
    func `every line is JSON for others too`() throws {
        for line in lines(Sample.request) {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            #expect(object is [String: Any])
        }
    }

    @Test
    func `what was written is read, of every kind and phase`() throws {
        var events = Sample.request.events
        for kind in Event.Kind.allCases {
            for phase in Event.Phase.allCases { events.append(Sample.event(1000, kind, phase)) }
        }
        events.append(Sample.event(2000, .note, subject: .max, value: .min, thread: .max))
        events.append(Sample.event(2000, .note, subject: 1, value: .max, thread: 0))
        let exchange = ExchangeRecord(
            subject: 2, url: "http://a/?q=%20\"", method: "GET", requestHeaders: [("A", "b\r")],
            status: 200, startDate: Date(timeIntervalSince1970: 1.0004),
            timings: .init(blocked: 0.25, wait: 3), error: "none")
        let recording = Sample.recording(events, exchanges: [exchange], dropped: 7)
            .merging(Sample.request)

        #expect(try Recording(jsonLines: recording.jsonLines()) == recording)
    }

    @Test
    func `an empty recording is read too`() throws {
        #expect(try Recording(jsonLines: Recording().jsonLines()) == Recording())
    }

    @Test
    func `events out of order are read, decoded and composed in the order of time`() throws {
        let events = [1, 2, 3].map { Sample.event($0, .note, subject: $0) }
        let ordered = Sample.recording(events)
        var reversed = ordered
        reversed.events.reverse()
        let encoded = try JSONEncoder().encode(reversed)

        #expect(try Recording(jsonLines: reversed.jsonLines()) == ordered)
        #expect(try JSONDecoder().decode(Recording.self, from: encoded) == ordered)
        #expect(Sample.recording(events.reversed()) == ordered)
    }

    @Test
    func `texts that others quote in their way are read`() throws {
        let line =
            #"{ "kind":"note", "text":"\u00e4\/\ud83d\ude00\n", "#
            + #""phase":"instant", "thread":1 , "time":-5 }"#
        var lines = lines(Sample.recording([Sample.event(0, .note)]))
        lines[1] = line

        let recording = try Recording(jsonLines: Data((lines.joined(separator: "\n") + "\n").utf8))

        #expect(recording.text(of: recording.events[0]) == "ä/😀\n")
        #expect(recording.events[0].time == Sample.start - 5)
    }

    @Test(
        arguments: [
            "", "{", "[]", "{}", "null", #"{"time":1}"#,
            #"{"time":1,"kind":"dance","phase":"begin","thread":1}"#,
            #"{"time":1,"kind":"note","phase":"middle","thread":1}"#,
            #"{"time":1,"kind":"note","phase":"begin","thread":-1}"#,
            #"{"time":1.5,"kind":"note","phase":"begin","thread":1}"#,
            #"{"time":1,"kind":"note","phase":"begin","thread":1,"colour":1}"#,
            #"{"time":1,"kind":"note","phase":"begin","thread":1} x"#,
            #"{"time":1,"kind":"note","phase":"begin","thread":1"#,
            #"{"time":1,"kind":"note","phase":"begin","thread":1,"text":"\x"}"#,
            #"{"time":1,"kind":"note","phase":"begin","thread":1,"text":"\"#,
            #"{"time":99999999999999999999,"kind":"note","phase":"begin","thread":1}"#,
        ])
    func `the error for a line that is no event has its number`(line: String) throws {
        var lines = lines(Sample.recording([Sample.event(0, .note), Sample.event(1, .note)]))
        lines[2] = line
        let error = try #require(throws: RecordingError.self) {
            try Recording(jsonLines: Data((lines.joined(separator: "\n") + "\n").utf8))
        }
        #expect(error.line == 3)
    }

    @Test
    func `a file that was cut anywhere is no recording`() throws {
        let data = Sample.recording(
            [Sample.event(0, .note, text: "end"), Sample.event(1, .note)],
            exchanges: [ExchangeRecord(url: "", method: "", startDate: Date())]
        ).jsonLines()
        for count in 0..<data.count {
            #expect(throws: RecordingError.self) { try Recording(jsonLines: data.prefix(count)) }
        }
    }

    @Test
    func `a later version is refused`() {
        let text = String(decoding: Recording().jsonLines(), as: UTF8.self)
        let later = text.replacingOccurrences(of: #""version":1"#, with: #""version":2"#)
        #expect(
            throws: RecordingError.self
        ) { try Recording(jsonLines: Data(later.utf8)) }
    }
}
