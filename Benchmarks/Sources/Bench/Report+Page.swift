extension Report {
    /// One page without anything from elsewhere: the same table with bars.
    var page: String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Measured beside a C loop on libcurl</title>
        <style>
        body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem;
          padding: 0 1rem; color: #1b1f24; background: #fff; }
        h2 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #d8dee4; }
        td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
        .bar { position: relative; height: .8rem; width: 14rem; background: #eef1f4; }
        .bar i { position: absolute; top: 0; bottom: 0; left: 0; background: #5b8def; }
        .bar u { position: absolute; top: .3rem; height: .2rem; background: #1b1f24; }
        .bar b { position: absolute; top: -.15rem; bottom: -.15rem; width: 2px; background: #c0392b; }
        .yes { color: #1a7f37; } .no { color: #c0392b; font-weight: 600; }
        @media (prefers-color-scheme: dark) {
          body { color: #e6edf3; background: #0d1117; }
          th, td { border-color: #30363d; } .bar { background: #21262d; } .bar u { background: #e6edf3; }
          .yes { color: #4ac26b; } .no { color: #ff7b72; } }
        </style></head><body>
        <h1>Measured beside a C loop on libcurl</h1>
        <p>\(machine.processor.escaped), \(machine.cores) cores; \(machine.system.escaped), Linux
        \(machine.kernel.escaped); \(machine.swift.escaped); \(machine.nginx.escaped);
        \(machine.curl.escaped). Load \(machine.load.short). \(rounds) rounds. A bar is the middle
        ratio, the dark line least to most, the red mark the target.</p>
        <ul>\(remarks.map { "<li>\($0.escaped)</li>" }.joined())</ul>
        \(workloads.map(section).joined(separator: "\n"))
        </body></html>

        """
    }

    private func section(_ workload: Workload) -> String {
        let own = rows.filter { $0.workload == workload.name }
        return """
            <h2 id="\(workload.name)">\(workload.title.escaped)</h2>
            <table><tr><th>rival</th><th>measured</th><th class="n">ratio</th><th></th>
            <th class="n">req/s</th><th class="n">CPU µs</th><th class="n">peak MiB</th>
            <th class="n">target</th><th>met</th></tr>
            \(own.map(\.html).joined(separator: "\n"))
            </table>
            """
    }
}

extension Row {
    fileprivate var html: String {
        let met = isMet.map { $0 ? "<td class=\"yes\">yes</td>" : "<td class=\"no\">no</td>" }
        return """
            <tr><td>\(rival.title.escaped)</td><td>\(what.escaped)</td>
            <td class="n">\(ratio.median.short)</td><td>\(bar)</td>
            <td class="n">\(requestsPerSecond.short)</td><td class="n">\(cpuMicroseconds.short)</td>
            <td class="n">\(peakMiB.short)</td><td class="n">\(targetText)</td>
            \(met ?? "<td></td>")</tr>
            """
    }

    private var bar: String {
        let whole = max(1, ratio.most, target?.value ?? 0)
        let share = { (number: Double) in "\((number / whole * 100).short)%" }
        let mark = target.map { "<b style=\"left:\(share($0.value))\"></b>" } ?? ""
        return "<div class=\"bar\"><i style=\"width:\(share(ratio.median))\"></i>"
            + "<u style=\"left:\(share(ratio.least));width:\(share(ratio.most - ratio.least))\"></u>"
            + "\(mark)</div>"
    }
}

extension String {
    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
