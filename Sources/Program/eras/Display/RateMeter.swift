import Foundation

/// Computes the bytes a second of the last seconds, from totals and times.
struct RateMeter: Sendable {
    /// The seconds over which the rate is measured.
    private static let window = 3.0

    private var samples: [(time: Double, total: Int64)] = []

    /// - Parameters:
    ///   - time: in seconds, not less than before.
    ///   - total: bytes so far. A total that is less than before, of a restarted file, resets the meter.
    mutating func add(total: Int64, at time: Double) {
        if let last = samples.last, total < last.total || time < last.time {
            samples = []
        }
        samples.append((time, total))
        // Keeps the last sample outside the window, so that the rate covers the whole window.
        while samples.count > 2, samples[1].time <= time - Self.window {
            samples.removeFirst()
        }
    }

    /// Bytes a second; nil before there are two samples of different times.
    var rate: Double? {
        guard let first = samples.first, let last = samples.last, last.time > first.time else {
            return nil
        }
        return Double(last.total - first.total) / (last.time - first.time)
    }
}
