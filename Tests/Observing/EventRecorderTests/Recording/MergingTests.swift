import EventRecorder
import Foundation
import Testing

@Suite("Two recordings on one time line", .timeLimit(.minutes(1)))
struct MergingTests {
    private func recording(
        _ events: [Event], threads: [UInt32: String], process: UInt32, name: String,
        start: UInt64 = Sample.start
    ) -> Recording {
        Recording(
            events: events, threads: threads, exchanges: [], dropped: 1, startTime: start,
            startDate: Date(timeIntervalSince1970: Double(start)), process: name,
            processNumber: process)
    }

    @Test
    func `events are in the order of time, with subjects kept apart`() {
        let client = recording(
            [
                Sample.event(10, .transfer, .begin, subject: 1, thread: 1),
                Sample.event(40, .transfer, .end, subject: 1, thread: 1),
            ], threads: [1: "main"], process: 1, name: "client")
        let server = recording(
            [
                Sample.event(20, .serverExchange, .begin, subject: 1, text: "GET /", thread: 2),
                Sample.event(30, .serverExchange, .end, subject: 1, thread: 2),
                Sample.event(35, .note, thread: 2),
            ], threads: [2: "server"], process: 2, name: "server", start: Sample.start - 5)

        let merged = client.merging(server)

        #expect(
            merged.events.map(\.kind) == [
                .transfer, .serverExchange, .serverExchange, .note, .transfer,
            ])
        #expect(merged.events.map(\.subject) == [1, 2, 2, 0, 1])
        #expect(merged.text(of: merged.events[1]) == "GET /")
        #expect(merged.threads == [1: "main", 2: "server"])
        #expect(merged.processes.map(\.name) == ["client", "server"])
        #expect(merged.processes.map(\.number) == [1, 2])
        #expect(merged.processes.map(\.threads) == [[], [2]])
        #expect(merged.process == "client")
        #expect(merged.dropped == 2)
        #expect(merged.startTime == Sample.start - 5)
        #expect(merged.startDate == server.startDate)
        #expect(merged.unpaired().isEmpty)
    }

    @Test
    func `numbers of threads and processes that were used twice stay apart`() {
        let one = recording(
            [Sample.event(1, .note, thread: 7)], threads: [7: "main"], process: 7, name: "one")
        let two = recording(
            [Sample.event(2, .note, thread: 7)], threads: [7: "main"], process: 7, name: "two")
        let three = recording(
            [Sample.event(3, .note, thread: 7)], threads: [7: "main"], process: 7, name: "three")

        let merged = one.merging(two).merging(three)
        let other = one.merging(two.merging(three))

        for recording in [merged, other] {
            let threads = recording.events.map(\.thread)
            #expect(Set(threads).count == 3)
            #expect(threads.map { recording.threads[$0] } == ["main", "main", "main"])
            #expect(Set(recording.processes.map(\.number)).count == 3)
            #expect(recording.processes.map(\.name) == ["one", "two", "three"])
            #expect(
                recording.processes.dropFirst().map(\.threads) == threads.dropFirst().map { [$0] })
        }
    }

    @Test
    func `exchanges move with their subjects`() {
        let date = Date(timeIntervalSince1970: 0)
        let exchange = ExchangeRecord(subject: 4, url: "http://a/", method: "GET", startDate: date)
        let nobody = ExchangeRecord(url: "http://a/", method: "GET", startDate: date)
        let one = Sample.recording([], exchanges: [exchange])
        let two = Sample.recording(
            [Sample.event(1, .note, subject: 4)], exchanges: [exchange, nobody])

        let merged = one.merging(two)

        #expect(merged.exchanges.map(\.subject) == [4, 8, 0])
        #expect(merged.events.map(\.subject) == [8])
    }

    @Test
    func `a transfer and its exchange keep their socket, and processor time its thread`() throws {
        let exchange = ExchangeRecord(
            subject: 2, url: "http://a/", method: "GET", startDate: Date(timeIntervalSince1970: 0),
            connection: "3")
        let one = Sample.recording(
            [
                Sample.event(1, .socket, .begin, subject: 3),
                Sample.event(2, .transfer, .begin, subject: 2, value: 3),
                Sample.event(3, .transfer, .end, subject: 2, value: 200),
                Sample.event(4, .note, subject: 100, value: 9, text: ThreadClock.note),
                // A thread that has recorded nothing itself.
                Sample.event(5, .note, subject: 7, value: 9, text: ThreadClock.note),
            ], exchanges: [exchange])

        let merged = one.merging(one)

        #expect(merged.exchanges.map(\.connection) == ["3", "6"])
        #expect(merged.events.prefix(6).map(\.subject) == [3, 6, 2, 5, 2, 5])
        #expect(merged.events.prefix(6).map(\.value) == [0, 0, 3, 6, 200, 200])
        let (own, other) = (merged.events[6], merged.events[7])
        #expect(own.subject == 100 && other.subject == UInt64(other.thread))
        #expect(other.thread != 100)
        let measured = merged.events.suffix(2).map(\.subject)
        #expect(measured[0] == 7 && measured[1] != 7)
        #expect(merged.processes[1].threads.contains(try #require(UInt32(exactly: measured[1]))))
    }

    @Test
    func `a recording of nothing changes nothing`() {
        #expect(Sample.request.merging(Recording()) == Sample.request)
        #expect(Recording().merging(Sample.request) == Sample.request)
    }
}
