import Foundation

/// Ratios that must not fall, or rise, one file for each version of Swift.
struct Thresholds {
    private let file: URL

    /// What a ratio may lose to noise.
    private static let margin = 0.15

    private struct Threshold: Codable {
        var workload: String
        var rival: RivalName
        var metric: Metric
        var reference: String
        var direction: Target.Direction
        var value: Double
    }

    init(folder: URL) {
        file = folder.appending(path: "Thresholds/\(Machine.swiftVersion).json")
    }

    /// Writes what was measured now, less the margin, for every row that has a target.
    func write(_ rows: [Row]) throws {
        var thresholds: [Threshold] = []
        for row in rows {
            guard let target = row.target else { continue }
            let isLeast = target.direction == .atLeast
            let value = row.ratio.median * (isLeast ? 1 - Self.margin : 1 + Self.margin)
            thresholds.append(
                Threshold(
                    workload: row.workload, rival: row.rival, metric: row.metric,
                    reference: row.reference.text, direction: target.direction,
                    value: (value * 1000).rounded(isLeast ? .down : .up) / 1000))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(thresholds).write(to: file)
        say("Wrote \(file.relativePath).")
    }

    /// Says which threshold is missed; those of workloads that were not measured do not count, and one that
    /// names another number than those measured is missed.
    func areKept(by rows: [Row]) throws -> Bool {
        guard let data = FileManager.default.contents(atPath: file.path) else {
            throw BenchError(
                "there is no \(file.relativePath); measure once with --write-thresholds")
        }
        var areKept = true
        for threshold in try JSONDecoder().decode([Threshold].self, from: data) {
            let row = rows.first {
                $0.workload == threshold.workload && $0.rival == threshold.rival
                    && $0.metric == threshold.metric && $0.reference.text == threshold.reference
            }
            guard let row else {
                // A row that was measured by another number would never be missed.
                let own = rows.filter {
                    $0.workload == threshold.workload && $0.rival == threshold.rival
                }
                if !own.isEmpty, !own.contains(where: { $0.metric == threshold.metric }) {
                    areKept = false
                    say(
                        "Not measured: \(threshold.workload), \(threshold.rival.rawValue), "
                            + "\(threshold.metric.rawValue); --write-thresholds forgets it.")
                }
                continue
            }
            let isKept =
                threshold.direction == .atLeast
                ? row.ratio.median >= threshold.value : row.ratio.median <= threshold.value
            if !isKept {
                areKept = false
                say(
                    "Missed: \(row.workload), \(row.rival.rawValue), \(row.what) is "
                        + "\(row.ratio.median.short), has to be \(threshold.direction.rawValue) "
                        + threshold.value.short)
            }
        }
        say(areKept ? "Every threshold is kept." : "")
        return areKept
    }
}
