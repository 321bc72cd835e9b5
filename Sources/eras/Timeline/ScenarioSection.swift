/// Pure: one scenario of the page: its text, the picture, the outcomes, the lanes as tables.
struct ScenarioSection {
    private let scenario: TimelineScenario
    private let number: String
    private let ticks: TimeTicks
    private let eras: [(era: TimelineEra, lanes: [(lane: TimelineLane, drawing: LaneDrawing)])]

    /// - Parameters:
    ///   - number: "3 of 16"; empty for a scenario by itself.
    ///   - laneLimit: the most marks of a lane that may be merged.
    init(_ scenario: TimelineScenario, number: String, laneLimit: Int) {
        self.scenario = scenario
        self.number = number
        let duration = scenario.duration
        let ticks = TimeTicks(duration: duration)
        self.ticks = ticks
        let reduction = MarkReduction(duration: duration, limit: laneLimit)
        eras = scenario.eras.map { era in
            let lanes = era.lanes.map { lane in
                let reduced = reduction.reduced(lane)
                return (lane, LaneDrawing(reduced, duration: duration, ticks: ticks.times))
            }
            return (era, lanes)
        }
    }

    var html: String {
        let id = HTMLText.identifier(scenario.id)
        return """
            <section class=scenario id="s-\(id)" aria-labelledby="t-\(id)">
            <header><div class=words>\(words(id))</div>\(facts)</header>
            \(picture)\(outcomes)\(tables)</section>

            """
    }

    /// The verdict as the first word of the list's line.
    static func verdict(_ scenario: TimelineScenario) -> String {
        guard let verdict = scenario.verdict else { return "" }
        return "<span class=\"verdict \(verdict.rawValue)\">\(verdict.rawValue)</span>"
    }

    /// Which era was faster.
    static func pace(_ scenario: TimelineScenario) -> String {
        scenario.pace.isEmpty ? "" : "<span class=pace>\(HTMLText.escaped(scenario.pace))</span>"
    }

    /// The class that gives an era its colour.
    static func colour(_ era: TimelineEra) -> String {
        ["connection", "session", "request"].contains(era.name) ? "e-" + era.name : "e-connection"
    }

    // MARK: Words

    private func words(_ id: String) -> String {
        var html = number.isEmpty ? "" : "<p class=number>Scenario \(number)</p>"
        html += "<h2 id=\"t-\(id)\">\(HTMLText.escaped(scenario.title))"
        html += Self.verdict(scenario) + Self.pace(scenario) + "</h2>"
        if !scenario.question.isEmpty {
            html += "<p class=question>\(HTMLText.escaped(scenario.question))</p>"
        }
        if !scenario.difference.isEmpty {
            html += "<p class=difference>\(HTMLText.escaped(scenario.difference))"
            if !scenario.source.isEmpty {
                html += " <cite>\(HTMLText.escaped(scenario.source))</cite>"
            }
            html += "</p>"
        }
        return html
    }

    private var facts: String {
        let all: [(name: String, value: (TimelineFacts) -> String?)] = [
            ("wall, ms", { $0.wallMilliseconds.map(HTMLText.milliseconds) }),
            (
                "wall of all runs, ms",
                { $0.wallRange.map { $0.map(HTMLText.milliseconds).joined(separator: "–") } }
            ),
            ("processor, ms", { $0.processorMilliseconds.map(HTMLText.milliseconds) }),
            ("requests", { $0.requests.map(String.init) }),
            ("connections", { $0.connections.map(String.init) }),
            ("threads at most", { $0.threads.map(String.init) }),
            ("lock depth at most", { $0.peakLockDepth.map(String.init) }),
        ]
        let lines = all.filter { fact in scenario.eras.contains { fact.value($0.facts) != nil } }
        guard !lines.isEmpty else { return "" }
        var html = "<table class=facts><thead><tr><td>"
        for era in scenario.eras {
            html += "<th scope=col class=\(Self.colour(era))>\(HTMLText.escaped(era.name))"
        }
        html += "</thead><tbody>"
        for fact in lines {
            html += "<tr><th scope=row>\(fact.name)"
            for era in scenario.eras { html += "<td>\(fact.value(era.facts) ?? "–")" }
        }
        return html + "</table>"
    }

    // MARK: Picture

    private var picture: String {
        var html = "<div class=chart><div class=scroll><div class=canvas "
        html += "data-duration=\"\(scenario.duration)\">\n"
        for (index, (era, lanes)) in eras.enumerated() {
            html += "<div class=\"era \(Self.colour(era))\"><h3>\(HTMLText.escaped(era.name)) era"
            if !era.title.isEmpty { html += " <small>\(HTMLText.escaped(era.title))</small>" }
            html += "</h3>\n"
            if lanes.isEmpty { html += "<p class=none>Nothing was recorded.</p>\n" }
            for (lane, drawing) in lanes {
                html += """
                    <div class=lane><div class=label title="\(HTMLText.escaped(lane.detail))">\
                    \(HTMLText.escaped(lane.name))</div>
                    """
                html += drawing.strip(
                    label:
                        "\(era.name) era, \(lane.name): \(Quantity.count(drawing.count, "mark"))",
                    end: era.facts.wallMilliseconds)
                html += "</div>\n"
            }
            html += "</div>\n"
            // The axis lies between the first era and the next.
            if index == 0 { html += axis }
        }
        return html + "</div></div></div>\n"
    }

    private var axis: String {
        let duration = scenario.duration
        var html = "<div class=axis aria-hidden=true><div class=ticks>"
        for (index, time) in ticks.times.enumerated() {
            let place = HTMLText.coordinate(time / duration * 100)
            let odd = index % 2 == 1 ? " class=odd" : ""
            html += "<span\(odd) style=\"left:\(place)%\">\(ticks.text(time))</span>"
        }
        for (index, era) in scenario.eras.enumerated() {
            guard let wall = era.facts.wallMilliseconds else { continue }
            let place = min(wall / duration * 100, 100)
            let side = place > 85 ? " left" : ""
            html += """
                <b class="done \(index == 0 ? "above" : "below")\(side) \(Self.colour(era))" \
                style="left:\(HTMLText.coordinate(place))%">done \(HTMLText.milliseconds(wall)) ms</b>
                """
        }
        return html + "</div></div>\n"
    }

    // MARK: Outcomes

    private var outcomes: String {
        let lists = scenario.eras.map(\.outcomes)
        let most = lists.map(\.count).max() ?? 0
        guard most > 0 else { return "" }
        let differing = (0..<most).filter { line in
            let values = lists.map { line < $0.count ? $0[line] : nil }
            return values.contains { $0 != values[0] }
        }
        var html = """
            <details class=outcomes><summary>What came out: \(Quantity.count(most, "line"))\
            \(differing.isEmpty || lists.count < 2 ? "" : ", \(differing.count) differ")</summary>
            <div class=side>
            """
        for era in scenario.eras {
            html += """
                <table class=\(Self.colour(era))><caption>\(HTMLText.escaped(era.name)) era</caption>\
                <thead><tr><th scope=col>callback<th scope=col>thread<th scope=col>value\
                </thead><tbody>
                """
            for (line, outcome) in era.outcomes.enumerated() {
                let differs = lists.count > 1 && differing.contains(line)
                html += "<tr\(differs ? " class=differs" : "")>"
                for text in [outcome.callback, outcome.thread, outcome.value] {
                    html += "<td>\(HTMLText.escaped(text))"
                }
            }
            html += "</table>"
        }
        return html + "</div></details>\n"
    }

    // MARK: Tables

    private var tables: String {
        var html = "<details class=tables><summary>Every lane as a table</summary>\n"
        for (era, lanes) in eras {
            html += "<div class=\"era-tables \(Self.colour(era))\">"
            html += "<h3>\(HTMLText.escaped(era.name)) era</h3>\n"
            for (_, drawing) in lanes { html += drawing.table }
            html += "</div>\n"
        }
        return html + "</details>\n"
    }
}
