import RecordedTraces
import TimelinePage

/// Recorded traces as a page in one file.
struct OriginalPage {
    let traces: [RecordedTrace]

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="generator" content="eras compare --original">
        <title>The originals, as recorded</title>
        <style>
        \(Self.style)</style>
        </head>
        <body>
        <header>
        <h1>The originals, as recorded</h1>
        <p>What AFNetworking 2.6.3 and Alamofire 4.9.1 did while they ran, event by event with its thread, \
        beside what this package does in the same scenario.
        \(HTMLText.escaped(OriginalText(traces: traces).summary))</p>
        <dl>
        \(legend)</dl>
        <nav>
        \(Original.allCases.map(list).joined())</nav>
        </header>
        <main>
        \(traces.map(section).joined())</main>
        </body>
        </html>

        """
    }

    private var legend: String {
        OriginalText.meanings.map { word, meaning in
            "<dt>\(HTMLText.escaped(word))</dt><dd>\(HTMLText.escaped(meaning))</dd>\n"
        }.joined()
    }

    private func list(_ original: Original) -> String {
        let links = traces.filter { $0.original == original }.map(link)
        guard !links.isEmpty else { return "" }
        return "<details\(links.count < 20 ? " open" : "")>"
            + "<summary>\(original.rawValue), \(HTMLText.counted(links.count, "trace"))</summary>"
            + "<ul>\n\(links.joined())</ul></details>\n"
    }

    private func link(_ trace: RecordedTrace) -> String {
        "<li class=\"\(trace.port.verdict.rawValue)\">"
            + "<a href=\"#\(Self.anchor(trace))\">\(HTMLText.escaped(trace.id))</a></li>\n"
    }

    private func section(_ trace: RecordedTrace) -> String {
        let notes = OriginalText.notes(trace).map { "<p>\(HTMLText.escaped($0))</p>\n" }
        return """
            <section id="\(Self.anchor(trace))" class="\(trace.port.verdict.rawValue)">
            <h2>\(HTMLText.escaped(trace.id)) <small>\(trace.port.verdict.rawValue)</small></h2>
            <p>\(HTMLText.escaped(trace.description))</p>
            <table>
            <thead><tr><th colspan="2" scope="col">\(trace.original.rawValue)</th>\
            <th><span>sign</span></th><th colspan="2" scope="col">this package</th></tr></thead>
            <tbody>
            \(trace.rows.map(row).joined())</tbody>
            </table>
            \(notes.joined())</section>

            """
    }

    private func row(_ row: TraceRow) -> String {
        "<tr class=\"\(row.mark)\">\(cells(row.original))<td>\(row.mark.rawValue)</td>"
            + "\(cells(row.port))</tr>\n"
    }

    private func cells(_ event: TraceEvent?) -> String {
        guard let event else { return "<td></td><td></td>" }
        let thread = HTMLText.escaped(event.thread)
        return "<td><b class=\"\(HTMLText.identifier(event.thread))\">\(thread)</b></td>"
            + "<td>\(HTMLText.escaped(event.text))</td>"
    }

    private static func anchor(_ trace: RecordedTrace) -> String {
        HTMLText.identifier("\(trace.original) \(trace.id)")
    }

    private static let style = """
        :root {
          color-scheme: light dark;
          --paper: light-dark(#fcfbf8, #14171b);
          --ink: light-dark(#1c2025, #e8e5de);
          --soft: light-dark(#5a6068, #a5abb2);
          --line: light-dark(#e4e1d9, #2d333a);
          --main: light-dark(#18609c, #7cbaf0);
          --network: light-dark(#ad4c0c, #f2a265);
          --worker: light-dark(#45731f, #a0cf7a);
          --other: light-dark(#7d3a93, #d5a0e8);
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 64rem; padding: 2rem 1rem; background: var(--paper);
          color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
        h1, h2 { line-height: 1.2; }
        h2 { font-size: 1.125rem; margin: 2.5rem 0 .25rem; }
        small, dd, thead th { color: var(--soft); font-weight: 400; }
        p { margin: .25rem 0; max-width: 45rem; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .125rem 1rem;
          font-size: .875rem; max-width: 45rem; }
        dt { font-family: monospace; }
        dd { margin: 0; }
        a { color: inherit; }
        summary { cursor: pointer; padding: .25rem 0; }
        nav ul { margin: 0; list-style: none; padding: 0; columns: 15rem; font-size: .875rem; }
        nav .deliberate a::after { content: " !"; }
        table { width: 100%; table-layout: fixed; border-collapse: collapse; font-size: .8125rem; }
        td, th { padding: .125rem .25rem; text-align: left; vertical-align: top;
          border-bottom: 1px solid var(--line); }
        th:nth-child(2) { width: 1.75rem; }
        th span { position: absolute; clip-path: inset(50%); }
        td:nth-child(1), td:nth-child(4) { width: 5rem; }
        td:nth-child(3) { text-align: center; font-family: monospace; }
        b { color: var(--other); font-weight: 600; }
        b.main { color: var(--main); }
        b.network, b.delegate { color: var(--network); }
        b.worker { color: var(--worker); }
        .different td { background: light-dark(#fbe7e0, #3a2420); }
        .unseen td { color: var(--soft); }

        """
}
