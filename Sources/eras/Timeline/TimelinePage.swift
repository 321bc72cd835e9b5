import Foundation

/// Pure: the whole document as one HTML file, which needs no network and no other file.
///
/// The page is complete without the script: the pictures are SVG, their texts are tables. The
/// script adds reading by pointer and keyboard, a filter, the choice of a scenario and zoom.
struct TimelinePage {
    private let document: TimelineDocument
    /// The most marks of a lane that the page's size allows.
    private let laneLimit: Int

    /// The page's text, to be written as UTF-8.
    static func html(of document: TimelineDocument) -> String {
        TimelinePage(document).html
    }

    private init(_ document: TimelineDocument) {
        self.document = document
        laneLimit = Self.laneLimit(for: document)
    }

    /// A mark takes about 110 bytes, and so many must stay below a megabyte and a half; the bars that
    /// are not merged come on top.
    private static let markLimit = 12_000

    private static func laneLimit(for document: TimelineDocument) -> Int {
        let counts = document.scenarios.flatMap { scenario in
            let reduction = MarkReduction(duration: scenario.duration, limit: .max)
            return scenario.eras.flatMap(\.lanes).map { lane in
                let reduced = reduction.reduced(lane)
                let fixed = reduced.spans.filter { !MarkReduction.mergeable.contains($0.kind) }
                    .count
                return (fixed: fixed, other: reduced.spans.count - fixed + reduced.dots.count)
            }
        }
        let limits = [240, 180, 120, 90, 60, 40, 20]
        return limits.first { limit in
            counts.reduce(0) { $0 + $1.fixed + min($1.other, limit) } <= markLimit
        } ?? 12
    }

    private var html: String {
        let parts = [
            "title": HTMLText.escaped(document.title),
            "style": Self.resource(PackageResources.page_css),
            "script": Self.resource(PackageResources.page_js),
            "head": head, "differences": differences, "overview": overview, "controls": controls,
            "scenarios": scenarios, "silence": silence,
        ]
        // In one pass, so that inserted text is not searched for placeholders.
        var html = ""
        for (index, piece) in Self.resource(PackageResources.template_html)
            .components(separatedBy: "{{").enumerated()
        {
            guard index > 0, let end = piece.range(of: "}}") else {
                html += piece
                continue
            }
            html += (parts[String(piece[..<end.lowerBound])] ?? "") + piece[end.upperBound...]
        }
        return html
    }

    private static func resource(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Top

    private var head: String {
        var html = "<h1>\(HTMLText.escaped(document.title))</h1>\n"
        if !document.subtitle.isEmpty {
            html += "<p class=subtitle>\(HTMLText.escaped(document.subtitle))</p>\n"
        }
        let places = [document.machine, Self.text(of: document.date)].filter { !$0.isEmpty }
        return html + "<p class=machine>\(HTMLText.escaped(places.joined(separator: ", ")))</p>\n"
    }

    private static func text(of date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_GB")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "d MMMM yyyy, HH:mm 'UTC'"
        return formatter.string(from: date)
    }

    /// What the numbers of statements mean.
    static let numbers = """
        Numbers in parentheses, such as UM-10, are explained in Documentation/Statements.md: LX is \
        what was measured of Foundation on Linux, UM and HM what AFNetworking 4's session \
        managers do, AL what Alamofire 4's requests do, HO, AU, BA, RE and SR what operations, challenges, batches and serializers \
        do; a wound is a known defect of AFNetworking.
        """

    /// A table for each cause: what is its doing in which scenario.
    private var differences: String {
        let tables = document.groups.map(table)
        guard tables.contains(where: { !$0.isEmpty }) else { return "" }
        let numbers = HTMLText.escaped(Self.numbers)
        return tables.joined() + "<p class=note>\(numbers)</p>\n"
    }

    /// Empty where nothing has that cause.
    private func table(_ group: TimelineDocument.Group) -> String {
        let lines = document.scenarios.flatMap { scenario in
            scenario.changes.filter { $0.cause == group.cause }.map { (scenario, $0) }
        }
        guard !lines.isEmpty else { return "" }
        var html = """
            <section class=differences><h2>\(HTMLText.escaped(group.heading))</h2>
            <table><thead><tr><th scope=col>Scenario<th scope=col>What, and why\
            <th scope=col>Results differ in<th scope=col>Source</thead><tbody>

            """
        for (scenario, change) in lines {
            html += """
                <tr><th scope=row><a href="#s-\(HTMLText.identifier(scenario.id))">\
                \(HTMLText.escaped(scenario.title))</a><td>\(HTMLText.escaped(change.sentence))\
                <td>\(ScenarioSection.columns(change))<td>\(HTMLText.escaped(change.source))

                """
        }
        return html + "</table></section>\n"
    }

    /// What Foundation does not record.
    private var silence: String {
        guard document.scenarios.contains(where: { $0.eras.contains { $0.name == "foundation" } })
        else { return "" }
        return "<p class=note>URLSession does not tell of its sockets or when an exchange begins: "
            + "what runs on it has no lane for sockets, and its bars have no core.</p>\n"
    }

    /// The list of scenarios with links to them.
    private var overview: String {
        guard document.scenarios.count > 1 else { return "" }
        var html = """
            <nav class=overview aria-label=Scenarios><h2>\(document.scenarios.count) scenarios, \
            wall time of each era</h2>\(key)<ol>

            """
        for scenario in document.scenarios {
            let walls = scenario.eras.compactMap(\.facts.wallMilliseconds)
            html += """
                <li><a href="#s-\(HTMLText.identifier(scenario.id))">\
                <b>\(HTMLText.escaped(scenario.title))</b>\(ScenarioSection.verdict(scenario))
                """
            for era in scenario.eras {
                guard let wall = era.facts.wallMilliseconds, let most = walls.max(), most > 0
                else { continue }
                let part = HTMLText.coordinate(wall / most * 100)
                html += """
                    <span class="wall \(ScenarioSection.colour(era))"><i style="width:\(part)%">\
                    </i><em>\(HTMLText.milliseconds(wall)) ms</em>\(ScenarioSection.pace(era))</span>
                    """
            }
            html += "</a>\n"
        }
        return html + "</ol></nav>\n"
    }

    /// Which colour is which era's.
    private var key: String {
        var names: Set<String> = []
        let eras = document.scenarios.flatMap(\.eras).filter { names.insert($0.name).inserted }
        let marks = eras.map { era in
            let title = era.title.isEmpty ? "" : ": \(HTMLText.escaped(era.title))"
            let name = "<b>\(HTMLText.escaped(era.heading))</b>"
            return "<li class=\(ScenarioSection.colour(era))>\(name)\(title)"
        }
        return "<ul class=key>\(marks.joined())</ul>"
    }

    /// The controls, which the script shows because they need it.
    private var controls: String {
        var html = ""
        if document.scenarios.count > 1 {
            html += "<label>Scenario <select id=picker><option value=\"\">all</option>"
            for scenario in document.scenarios {
                html += """
                    <option value="s-\(HTMLText.identifier(scenario.id))">\
                    \(HTMLText.escaped(scenario.title))</option>
                    """
            }
            html += "</select></label>"
        }
        let kinds = Set(TimelineSpan.Kind.allCases.map(\.rawValue))
            .union(TimelineDot.Kind.allCases.map(\.rawValue)).sorted()
        html += """
            <label class=filter>Filter <input id=filter type=search list=kinds \
            placeholder="callback, operation 3, /items" autocomplete=off spellcheck=false></label>\
            <datalist id=kinds>\(kinds.map { "<option value=\"\($0)\">" }.joined())</datalist>\
            <output id=matches for=filter></output>
            """
        return html
    }

    // MARK: Scenarios

    private var scenarios: String {
        document.scenarios.enumerated().map { index, scenario in
            ScenarioSection(
                scenario,
                number: document.scenarios.count > 1
                    ? "\(index + 1) of \(document.scenarios.count)" : "",
                laneLimit: laneLimit
            ).html
        }.joined(separator: "\n")
    }
}
