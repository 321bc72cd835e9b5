import EventRecorder
import Foundation
import Testing

@Suite("Recordings as Perfetto traces", .timeLimit(.minutes(1)))
struct PerfettoTests {
    private func trace(_ recording: Recording) throws -> PerfettoSchema {
        let schema = try PerfettoSchema(recording.perfettoTrace())
        #expect(schema.problems == [])
        return schema
    }

    /// What is drawn, without the names of processes and threads: "B lockHold 41".
    private func drawn(_ recording: Recording) throws -> [String] {
        try trace(recording).events.compactMap { event in
            guard let phase = event["ph"] as? String, phase != "M",
                let name = event["name"] as? String, let time = event["ts"] as? Double
            else { return nil }
            return "\(phase) \(name) \(Int((time * 1000).rounded()))"
        }
    }

    @Test
    func `a request is drawn with slices, spans, moments and an arrow`() throws {
        let events = try trace(Sample.request).events
        let phases = Dictionary(grouping: events) { $0["ph"] as? String ?? "" }
            .mapValues(\.count)
        #expect(
            phases == [
                "M": 3, "B": 7, "E": 7, "b": 4, "e": 4, "n": 5, "i": 2, "X": 1, "s": 1, "f": 1,
            ])

        let drawn = try drawn(Sample.request)
        #expect(drawn.contains("b GET http://a/x 0"))
        #expect(drawn.contains("e GET http://a/x 990"))
        #expect(drawn.contains("B didReceive 910"))
        #expect(drawn.contains("n responseHead 911"))
        #expect(drawn.contains("i jobs 50"))
        #expect(drawn.contains("s block 940"))
        #expect(drawn.contains("f block 960"))
    }

    @Test(arguments: Event.Kind.allCases)
    func `every kind and phase makes a trace`(kind: Event.Kind) throws {
        for phase in Event.Phase.allCases {
            for subject in [0, 1, UInt64.max] {
                let event = Sample.event(5, kind, phase, subject: subject, value: .min)
                _ = try trace(Sample.recording([event]))
            }
        }
    }

    @Test
    func `processes and threads have their names, and each thread is its process's`() throws {
        let server = Recording(
            events: [Sample.event(3, .note, thread: 900)], threads: [900: "server \"1\""],
            startTime: Sample.start, process: "httpbin", processNumber: 800)

        let events = try trace(Sample.request.merging(server)).events

        let names = events.filter { $0["ph"] as? String == "M" }.map { event in
            let argument = (event["args"] as? [String: Any])?["name"] ?? ""
            return "\(event["name"] ?? "") \(event["pid"] ?? 0) \(event["tid"] ?? 0) \(argument)"
        }
        #expect(
            names == [
                "process_name 100 0 eras", "process_name 800 0 httpbin",
                "thread_name 100 100 main", "thread_name 100 101 AFNetworking",
                "thread_name 800 900 server \"1\"",
            ])
        let note = try #require(
            events.first { $0["tid"] as? Int == 900 && $0["ph"] as? String == "i" })
        #expect(note["pid"] as? Int == 800)
    }

    @Test
    func `spans that start or stop cut go to the edges, in each other`() throws {
        let recording = Sample.recording([
            Sample.event(10, .callback, .end, subject: 1),
            Sample.event(20, .queueRun, .end, subject: 1),
            Sample.event(30, .transfer, .end, subject: 1),
            Sample.event(40, .transfer, .begin, subject: 2),
            Sample.event(50, .queueRun, .begin, subject: 2),
            Sample.event(60, .callback, .begin, subject: 2),
        ])
        #expect(
            try drawn(recording) == [
                "b transfer 0", "B queueRun 0", "B callback 0", "E callback 10", "E queueRun 20",
                "e transfer 30", "b transfer 40", "B queueRun 50", "B callback 60",
                "E callback 60", "E queueRun 60", "e transfer 60",
            ])
        let cuts = try trace(recording).events.compactMap {
            ($0["args"] as? [String: Any])?["cut"] as? String
        }
        #expect(cuts == Array(repeating: "start", count: 6) + Array(repeating: "stop", count: 6))
    }

    @Test
    func `spans of a thread that overlap are no slices of one stack`() throws {
        let recording = Sample.recording([
            Sample.event(1, .lockHold, .begin, subject: 1),
            Sample.event(2, .callback, .begin, subject: 1),
            Sample.event(3, .lockHold, .end, subject: 1),
            Sample.event(4, .callback, .end, subject: 1),
        ])
        #expect(
            try drawn(recording) == [
                "b lockHold 1", "B callback 2", "e lockHold 3", "E callback 4",
            ])
    }

    @Test
    func `slices that overlap in any way make a trace that holds`() throws {
        var random = Steps(state: 7)
        for _ in 0..<300 {
            let events = (0..<30).map { time in
                Sample.event(
                    UInt64(time / 2), [.lockHold, .callback, .transfer][Int(random.next() % 3)],
                    [.begin, .end, .instant][Int(random.next() % 3)], subject: random.next() % 2,
                    thread: random.next() % 2 == 0 ? Sample.main : Sample.network)
            }
            _ = try trace(Sample.recording(events))
        }
    }

    @Test
    func `an arrow leads from the last submission of a block to its first run`() throws {
        let recording = Sample.recording([
            Sample.event(1, .queueSubmit, subject: 1),
            Sample.event(2, .queueSubmit, subject: 2),
            Sample.event(3, .queueSubmit, subject: 1),
            Sample.event(4, .queueRun, .begin, subject: 1, thread: Sample.network),
            Sample.event(5, .queueRun, .end, subject: 1, thread: Sample.network),
            Sample.event(6, .queueRun, .begin, subject: 1, thread: Sample.network),
            Sample.event(7, .queueRun, .end, subject: 1, thread: Sample.network),
        ])
        let arrows = try drawn(recording).filter { $0.contains("block") }
        #expect(arrows == ["s block 3", "f block 4"])
    }

    @Test
    func `the check of the schema sees what is wrong`() throws {
        let good = String(decoding: try Sample.request.perfettoTrace(), as: UTF8.self)
        let changes = [
            (#""ph":"B""#, #""ph":"Q""#), (#""ph":"E""#, #""ph":"B""#),
            (#""pid":100"#, #""pid":"a""#),
            (#""dur":0"#, #""dur":-1"#), (#""s":"t""#, #""s":"x""#), (#""id":"0x1""#, #""id":"1""#),
            (#""ts":0.910"#, #""ts":9.0"#), (#""bp":"e","#, ""),
            (#""name":"thread_name""#, #""name":"x""#),
            (#""subject":1"#, #""subject":1.5"#), (#""ph":"e""#, #""ph":"n""#),
            (#""cat":"transfer","#, ""),
        ]
        for (old, new) in changes {
            let at = try #require(good.range(of: old), "\(old)")
            let bad = good.replacingCharacters(in: at, with: new)
            #expect(try !PerfettoSchema(Data(bad.utf8)).problems.isEmpty, "\(old)")
        }
    }

    private struct Steps {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
