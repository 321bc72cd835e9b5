import Foundation

/// One comparison: a rival in a workload, and what was wanted of it.
struct Row: Encodable {
    var workload: String
    var rival: RivalName
    var metric: Metric
    var reference: Reference
    /// What the ratio, or the number where the reference is nothing, was in the middle round.
    var ratio: Spread
    var requestsPerSecond: Double
    var cpuMicroseconds: Double
    var peakMiB: Double
    var target: Target?

    var isMet: Bool? { target.map { $0.isMet(by: ratio.median) } }

    private enum Key: String, CodingKey {
        case workload, rival, metric, reference, ratio, ratio_min, ratio_max
        case requests_per_second, cpu_us, peak_mib, target, target_is, met
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(workload, forKey: .workload)
        try object.encode(rival, forKey: .rival)
        try object.encode(metric, forKey: .metric)
        try object.encode(reference.text, forKey: .reference)
        try object.encode(ratio.median.rounded4, forKey: .ratio)
        try object.encode(ratio.least.rounded4, forKey: .ratio_min)
        try object.encode(ratio.most.rounded4, forKey: .ratio_max)
        try object.encode(requestsPerSecond.rounded4, forKey: .requests_per_second)
        try object.encode(cpuMicroseconds.rounded4, forKey: .cpu_us)
        try object.encode(peakMiB.rounded4, forKey: .peak_mib)
        try object.encode(target?.value, forKey: .target)
        try object.encode(target?.direction, forKey: .target_is)
        try object.encode(isMet, forKey: .met)
    }
}

/// All comparisons of a session, as three files.
struct Report {
    let rows: [Row]
    let workloads: [Workload]
    let machine: Machine
    let remarks: [String]
    let rounds: Int
    /// How far the C loop's own numbers are apart, as a share of their middle.
    let noise: Spread?

    init(
        _ measurements: Measurements, workloads: [Workload], machine: Machine, remarks: [String],
        rounds: Int
    ) {
        self.workloads = workloads
        self.machine = machine
        self.remarks = remarks
        self.rounds = rounds
        rows = workloads.flatMap { Self.rows(of: $0, measurements) }
        noise = Spread(
            workloads.compactMap { workload in
                measurements.ratios(workload.name, .loop, workload.metric, to: .nothing).map {
                    ($0.most - $0.least) / max($0.median, 1e-9)
                }
            })
    }

    /// A row for each rival, and one for each target of another number.
    private static func rows(of workload: Workload, _ measurements: Measurements) -> [Row] {
        workload.rivals.flatMap { rival -> [Row] in
            var targets = Target.all.filter {
                $0.workload == workload.name && $0.rival == rival
            }
            let isMain = { (target: Target) in
                target.metric == workload.metric && target.reference == .loop
            }
            let main = targets.first(where: isMain)
            targets.removeAll(where: isMain)
            let own = row(workload, rival, workload.metric, .loop, main, measurements)
            return [own].compactMap { $0 }
                + targets.compactMap {
                    row(workload, rival, $0.metric, $0.reference, $0, measurements)
                }
                + workload.alsoShows.compactMap {
                    row(workload, rival, $0, .nothing, nil, measurements)
                }
        }
    }

    private static func row(
        _ workload: Workload, _ rival: RivalName, _ metric: Metric, _ reference: Reference,
        _ target: Target?, _ measurements: Measurements
    ) -> Row? {
        guard
            let ratio = measurements.ratios(workload.name, rival, metric, to: reference)
        else { return nil }
        let median = { measurements.median(workload.name, rival, $0) ?? 0 }
        return Row(
            workload: workload.name, rival: rival, metric: metric, reference: reference,
            ratio: ratio, requestsPerSecond: median(\.requestsPerSecond),
            cpuMicroseconds: median(\.cpuMicroseconds), peakMiB: median(\.peakMiB), target: target)
    }

    func write(into folder: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(rows).write(to: folder.appending(path: "report.json"))
        try markdown.write(
            to: folder.appending(path: "report.md"), atomically: true, encoding: .utf8)
        try page.write(
            to: folder.appending(path: "report.html"), atomically: true, encoding: .utf8)
    }
}

extension Reference {
    var text: String {
        switch self {
        case .rival(let rival): rival.rawValue
        case .workload(let workload): workload
        case .nothing: ""
        }
    }
}

extension Metric {
    var unit: String {
        switch self {
        case .requestsPerSecond: "requests/s"
        case .medianLatency, .latency99, .seconds, .secondsARequest, .coldStart, .cpuSeconds,
            .timesApart, .closed99, .closedWorst:
            "s"
        case .cpuARequest: "µs"
        case .peakMiB: "MiB"
        case .bytesWaiting, .bodyBytesSeen: "bytes"
        case .requestsSeen: "requests"
        case .sleeps, .socketsLeft, .shareWhenOff, .isEqual, .allocations, .allocationsOfLibcurl,
            .allocationsOfFoundation, .allocationsOfTheProgram:
            ""
        }
    }
}

extension Double {
    /// Three digits that count; four just above 1, where a ratio says little with fewer.
    var short: String {
        if self == 0 { return "0" }
        let isNearOne = (1..<1.1).contains(self)
        let digits =
            isNearOne ? 3 : max(0, 2 - Int(Foundation.log10(abs(self)).rounded(.down)))
        return formatted(
            .number.precision(.fractionLength(min(digits, 6))).grouping(.never)
                .locale(Locale(identifier: "en_US_POSIX")))
    }

    fileprivate var rounded4: Double { (self * 10_000).rounded() / 10_000 }
}
