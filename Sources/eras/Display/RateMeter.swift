import Foundation

/// Pure: bytes a second over the last seconds, from totals at points in time.
struct RateMeter: Sendable {
    /// Seconds that count.
    private static let window = 3.0

    private var samples: [(time: Double, total: Int64)] = []

    /// - Parameters:
    ///   - time: in seconds; never goes back.
    ///   - total: bytes so far. Less than before, as when a file starts over, begins anew.
    mutating func add(total: Int64, at time: Double) {
        if let last = samples.last, total < last.total || time < last.time {
            samples = []
        }
        samples.append((time, total))
        // The last sample outside the window stays: the rate is over the whole window.
        while samples.count > 2, samples[1].time <= time - Self.window {
            samples.removeFirst()
        }
    }

    /// Bytes a second, or nil before there are two samples apart in time.
    var rate: Double? {
        guard let first = samples.first, let last = samples.last, last.time > first.time else {
            return nil
        }
        return Double(last.total - first.total) / (last.time - first.time)
    }
}
