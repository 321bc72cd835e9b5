import Testing

@testable import EventRecorder

@Suite("Memory of events", .timeLimit(.minutes(1)))
struct EventMemoryTests {
    private static let count = 3 * (1 << 17) / EventStore.runSize

    @Test(arguments: [0, 1, 5000, 1 << 17, 1 << 18, 1 << 25])
    func `runs never overlap, whatever was taken at the start`(capacity: Int) {
        var memory = EventMemory()
        memory.prepare(first: capacity)
        var runs: [EventLog.Slot] = []
        for _ in 0..<Self.count {
            let run = memory.takeRun()
            memory.prepare(run)
            write(run)
            runs.append(run)
        }
        runs.sort()
        #expect(zip(runs, runs.dropFirst()).allSatisfy { $0 + EventStore.runSize <= $1 })
        memory.empty()
        #expect(runs.allSatisfy(isZero))
    }

    @Test func `a later recording uses the same runs`() {
        var memory = EventMemory()
        let run = memory.takeRun()
        for capacity in [1, 1 << 18] {
            memory.prepare(first: capacity)
            memory.prepare(run)
            #expect(isZero(run))
            write(run)
            #expect(memory.takeRun() != run)
            memory.empty()
        }
        #expect(isZero(run))
    }

    private func bytes(_ run: EventLog.Slot) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(
            start: run, count: EventStore.runSize * MemoryLayout<StoredEvent>.stride)
    }

    private func write(_ run: EventLog.Slot) {
        bytes(run).initializeMemory(as: UInt8.self, repeating: 0xFF)
    }

    private func isZero(_ run: EventLog.Slot) -> Bool { bytes(run).allSatisfy { $0 == 0 } }
}
