import EventRecorder
import HTTPSemantics
import ProcessUse
import TestSupport

@testable import CurlConnection

@Suite("After a recording", .serialized, .timeLimit(.minutes(2)))
struct RecordingEndTests {
    private static let size = 60_000

    @Test func `the texts of the last exchange are forgotten`() throws {
        let texts = ExchangeTexts()
        let before = MemoryInUse.now ?? 0
        try EventRecorder.start()
        for count in [10 * Self.size, 20 * Self.size] {
            let value = String(repeating: "x", count: count)
            let fields: HTTPSemantics.HeaderFields = ["A": value]
            let head = ResponseHead(
                version: "HTTP/1.1", statusCode: 200,
                fields: ["B": value])
            #expect(texts.keep(head, fields, texts.number(of: fields), value) > 0)
        }
        _ = EventRecorder.stop()
        let number = texts.number(of: [:])
        texts.forget()
        #expect(texts.number(of: [:]) != number)
        if MemoryInUse.isKnown {
            #expect((MemoryInUse.now ?? 0) - before < 2 * Self.size)
        }
    }

    /// Each transport of a thread, though nothing is loaded on it any more.
    @Test func `transports that have nothing to do forget the last exchange too`() throws {
        try withWorld { world in
            let fields = (0..<4).map { ("X-\($0)", String(repeating: "h", count: Self.size)) }
            world.server.add("/large") { _ in .text("large", headers: fields) }
            try EventRecorder.start()
            // What the delegate heard holds the head too, and goes first.
            do {
                let recorder = Recorder()
                world.thread.start(world.request("/large"), recorder)
                #expect(recorder.atEnd().status == 200)
            }
            world.thread.run {}
            let during = MemoryInUse.now ?? 0
            _ = EventRecorder.stop()
            let deadline = Date() + 20
            while MemoryInUse.isKnown, (MemoryInUse.now ?? 0) > during - 3 * Self.size,
                Date() < deadline
            {
                world.thread.run {}
            }
            if MemoryInUse.isKnown {
                #expect((MemoryInUse.now ?? 0) <= during - 3 * Self.size)
            }
        }
    }
}
