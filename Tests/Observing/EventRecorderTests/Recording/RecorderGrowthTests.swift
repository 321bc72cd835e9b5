import Foundation
import ProcessUse
import Testing

@testable import EventRecorder

extension RecorderTests {
    /// Whoever is measured may keep this much for reasons of its own.
    private static let slack = 400_000

    @Test
    func `distinct addresses: memory and time are flat once the budget is used up`() throws {
        try EventRecorder.start(capacity: 1_000)
        let growth = Growth(Growth.count(30_000)) { number in
            let url = URL(string: "http://127.0.0.1:8080/a/path/to/\(number)?page=\(number)")
            EventRecorder.instant(.note, text: EventText(method: "GET", url: url))
        }
        let recording = EventRecorder.stop()
        #expect(growth.bytes < Self.slack, "\(growth)")
        #expect(growth.isTimeFlat, "\(growth)")
        #expect(recording.events.count == 1_000)
        #expect(recording.textsLeftOut > 20_000)
    }

    @Test
    func `distinct queues: memory and time are flat once the budget is used up`() throws {
        try EventRecorder.start(capacity: 3_000)
        let growth = Growth(Growth.count(40_000)) { number in
            let queue = DispatchQueue(label: "a queue with a label of its own, number \(number)")
            let isOver = DispatchSemaphore(value: 0)
            queue.recordedAsync { isOver.signal() }
            isOver.wait()
        }
        _ = EventRecorder.stop()
        // Dispatch takes another thread whenever the machine is busy, and glibc keeps memory for each;
        // labels that stayed would be 5.8 MB.
        #expect(growth.bytes < 3_000_000, "\(growth)")
        #expect(growth.isTimeFlat, "\(growth)")
    }

    @Test
    func `recording after recording: what the last one held does not add to the one before`() throws
    {
        let growth = try Growth(Growth.count(3_000)) { number in
            try EventRecorder.start(capacity: 64)
            for part in 0..<8 {
                let url = URL(string: "http://127.0.0.1/\(number)/\(part)")
                EventRecorder.instant(.note, text: EventText(method: "GET", url: url))
            }
            EventRecorder.exchange(
                ExchangeRecord(url: "http://a/\(number)", method: "GET", startDate: Date()))
            #expect(EventRecorder.stop().events.count == 8)
        }
        #expect(growth.bytes < Self.slack, "\(growth)")
        #expect(growth.isTimeFlat, "\(growth)")
    }

    @Test
    func `threads that come and go: those without a kept event leave nothing`() throws {
        try EventRecorder.start(capacity: 100)
        let growth = Growth(Growth.count(5_000)) { number in
            let isOver = DispatchSemaphore(value: 0)
            let thread = Thread {
                EventRecorder.instant(.note, value: Int64(number))
                isOver.signal()
            }
            thread.start()
            isOver.wait()
        }
        let recording = EventRecorder.stop()
        #expect(growth.bytes < Self.slack, "\(growth)")
        #expect(growth.isTimeFlat, "\(growth)")
        #expect(recording.events.count == 100)
        // Other threads of this process may have recorded something as well.
        #expect(recording.dropped >= 10 * max(1, Growth.count(5_000) / 10) - 100)
        #expect(recording.threads.count <= 100)
    }
}
