import Foundation

/// The progress of a list of downloads.
struct FetchProgress: Sendable, Equatable {
    /// Files in the list.
    var count = 0
    var finished = 0
    var failed = 0
    var received: Int64 = 0
    /// The downloads that run, in the order of the list.
    var active: [FileProgress] = []

    mutating func add(_ result: FetchResult) {
        received += result.received
        finished += 1
        failed += result.error == nil ? 0 : 1
    }

    /// Adds a download that runs.
    mutating func add(_ item: DownloadItem, received: Int64, stored: Int64, total: Int64?) {
        guard let name = item.target?.place.name else { return }
        self.received += received
        active.append(FileProgress(index: item.index, name: name, stored: stored, total: total))
    }

    /// The number of missing bytes; nil while a length is unknown or a file has not begun.
    var missing: Int64? {
        guard finished + active.count == count else { return nil }
        var sum: Int64 = 0
        for file in active {
            guard let total = file.total else { return nil }
            // Lengths are the servers'.
            let (new, isTooLarge) = sum.addingReportingOverflow(max(0, total - file.stored))
            if isTooLarge { return nil }
            sum = new
        }
        return sum
    }
}

/// The progress of one download.
struct FileProgress: Sendable, Equatable {
    var index: Int
    var name: String
    /// The number of bytes that are stored.
    var stored: Int64
    /// The file's length; nil while it is unknown.
    var total: Int64?
}

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
