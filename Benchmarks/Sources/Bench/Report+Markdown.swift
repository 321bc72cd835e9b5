extension Report {
    /// The table, with where and how it was measured.
    var markdown: String {
        var lines = [
            "# Measured beside a C loop on libcurl", "",
            "\(machine.processor), \(machine.cores) cores, \(machine.memoryGiB) GiB; "
                + "\(machine.system), Linux \(machine.kernel); \(machine.swift); \(machine.nginx); "
                + "\(machine.curl). Load \(machine.load.short).", "",
            "Each rival is a process of its own"
                + (machine.cores > 1 ? " on one core, the servers are on the other" : "")
                + "; \(rounds) rounds. Where CPU time a request is compared, each rival runs at the "
                + "same time as the C loop on the same core, so it makes about half of the requests a "
                + "second that it makes alone; else rivals take turns. A ratio is the middle one of the "
                + "rounds, with the least and the most; to the C loop beside it, or in the same round, "
                + "where nothing else is said.", "",
        ]
        if let noise {
            lines += [
                "Noise: the C loop's own numbers are \(percent(noise.median)) apart in the middle "
                    + "workload, \(percent(noise.most)) in the worst.", "",
            ]
        }
        lines += remarks.map { "- \($0)" } + [""]
        for workload in workloads {
            lines += ["## \(workload.title) (`\(workload.name)`)", "", Self.head, Self.rule]
            lines += rows.filter { $0.workload == workload.name }.map(\.markdown) + [""]
        }
        return lines.joined(separator: "\n")
    }

    private static let head =
        "| rival | measured | ratio | least – most | req/s | CPU µs | peak MiB | target | met |"
    private static let rule = "|---|---|--:|--:|--:|--:|--:|--:|---|"

    private func percent(_ share: Double) -> String { "\((share * 100).short) %" }
}

extension Metric {
    func text(to reference: Reference) -> String {
        switch reference {
        case .rival(.loop): rawValue
        case .rival(let rival): "\(rawValue), to \(rival.rawValue)"
        case .workload(let workload): "\(rawValue), to \(workload)"
        case .nothing: "\(rawValue), not a ratio"
        }
    }
}

extension Row {
    var what: String { metric.text(to: reference) }

    var targetText: String {
        target.map { "\($0.direction == .atLeast ? "≥" : "≤") \($0.value.short)" } ?? ""
    }

    fileprivate var markdown: String {
        let cells = [
            rival.title, what, ratio.median.short, "\(ratio.least.short) – \(ratio.most.short)",
            requestsPerSecond.short, cpuMicroseconds.short, peakMiB.short, targetText,
            isMet.map { $0 ? "yes" : "**no**" } ?? "",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
