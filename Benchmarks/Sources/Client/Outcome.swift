import CMeasure
import Foundation

/// What was measured; printed as the C loop prints it.
struct Outcome: Encodable {
    var requests = 0
    var failures = 0
    var seconds = 0.0
    var cpu = 0.0
    var bytes = 0
    var peakMiB = 0.0
    var medianLatency: Double?
    var latency99: Double?
    var enqueuing: Double?
    var bytesWaiting: Double?
    var sleeps: Int?
    var socketsLeft: Int?
    var firstAnswer: UInt64?
    /// Of the event recorder: calls, and what they cost while it is off.
    var eventsARequest: Double?
    var shareWhenOff: Double?
    /// Whether what was made of the body is what Foundation makes of it.
    var isEqual: Bool?
    /// How far the times of requests are from those of the curl command, in seconds.
    var timesApart: Double?
    /// Seconds from a task's cancel to its socket's close.
    var closed99: Double?
    var closedWorst: Double?
    /// What the server saw of one call.
    var requestsSeen: Int?
    var bodyBytesSeen: Int?
    /// Blocks of memory, where they are counted: libcurl's, Foundation's, the program's own.
    var allocations: [UInt]?

    mutating func takeLatencies(_ latencies: [UInt32]) {
        guard !latencies.isEmpty else { return }
        let sorted = latencies.sorted()
        medianLatency = Double(sorted[sorted.count / 2]) / 1e9
        latency99 = Double(sorted[sorted.count * 99 / 100]) / 1e9
    }

    /// The peak is read first: what follows is not the rival's.
    mutating func print() {
        peakMiB = Double(measure_peak()) / 1024
        guard let line = try? JSONEncoder().encode(self) else { return }
        FileHandle.standardOutput.write(line + Data("\n".utf8))
    }
}

/// Wall clock and CPU time from one moment to another.
struct Stopwatch {
    private let allocations = Self.allocations()
    let begin = measure_now()
    private let cpu = measure_cpu()

    func stop(into outcome: inout Outcome, at end: UInt64 = measure_now()) {
        outcome.cpu = Double(measure_cpu() - cpu) / 1e9
        outcome.seconds = Double(end - begin) / 1e9
        if let now = Self.allocations(), let allocations {
            outcome.allocations = zip(now, allocations).map { $0 - $1 }
        }
    }

    private static func allocations() -> [UInt]? {
        var counts: [UInt] = [0, 0, 0]
        return measure_allocations(&counts) != 0 ? counts : nil
    }
}
