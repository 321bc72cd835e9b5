import Testing

@testable import EventRecorder

@Suite("The log of a thread", .timeLimit(.minutes(1)))
struct EventLogTests {
    private let log = EventLog()

    private func event(_ value: Int) -> Event {
        Event(time: 1, subject: .max, value: Int64(value), text: .success, kind: .note, phase: .end)
    }

    /// Keeps events, in another piece where one is full.
    private func keep(_ values: Range<Int>, of recording: UInt32, pieces: [Int] = [1024]) {
        var pieces = pieces[...]
        for value in values where !log.keep(event(value), of: recording) {
            log.addPiece(pieces.count > 1 ? pieces.removeFirst() : pieces.first ?? 1, of: recording)
            #expect(log.keep(event(value), of: recording))
        }
    }

    private func values(of recording: UInt32) -> [Int] {
        log.takeEvents(of: recording).map { Int($0.value) }
    }

    @Test(arguments: [0, 1, 7, 2048])
    func `gives back what it took, in order, wherever a piece ends`(count: Int) {
        keep(0..<count, of: 1, pieces: [1, 3, 2])

        let events = log.takeEvents(of: 1)

        #expect(
            events
                == (0..<count).map { number in
                    var event = event(number)
                    event.thread = log.thread
                    return event
                })
    }

    @Test
    func `without a place it keeps nothing, nor in another recording than its places are of`() {
        #expect(!log.keep(event(1), of: 1))
        #expect(!log.hasEvents(of: 1))
        log.addPiece(1, of: 1)
        #expect(!log.keep(event(1), of: 2))
        #expect(log.keep(event(2), of: 1))
        #expect(!log.keep(event(3), of: 1))
        #expect(log.hasEvents(of: 1))
        #expect(!log.hasEvents(of: 2))
        #expect(values(of: 2).isEmpty)
        #expect(values(of: 1) == [2])
    }

    @Test
    func `what its thread writes after the end is in no recording`() {
        keep(0..<1500, of: 1)
        #expect(values(of: 1) == Array(0..<1500))

        #expect(log.keep(event(1), of: 1))
        keep(7..<9, of: 2)
        #expect(!log.keep(event(2), of: 1))

        #expect(values(of: 2) == [7, 8])
    }
}
