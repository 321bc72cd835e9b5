/// One scenario of the page: its text, picture and outcomes, and its tracks as tables.
struct ScenarioSection {
    private let scenario: TimelineScenario
    private let number: String
    private let words: PageWords
    private let eras:
        [(
            era: TimelineEra, ticks: TimeTicks,
            tracks: [(track: TimelineTrack, drawing: TrackDrawing)]
        )]

    /// - Parameters:
    ///   - number: such as "Picture 3 of 16"; empty on a page of one picture.
    ///   - trackLimit: if a track has more marks that may be merged, marks at larger distances are merged.
    init(_ scenario: TimelineScenario, number: String, trackLimit: Int, _ words: PageWords) {
        self.scenario = scenario
        self.number = number
        self.words = words
        eras = scenario.eras.map { era in
            let duration = scenario.duration(of: era)
            let ticks = TimeTicks(duration: duration)
            let reduction = MarkReduction(duration: duration, limit: trackLimit)
            let tracks = era.tracks.map { track in
                let reduced = reduction.reduced(track)
                let drawing = TrackDrawing(
                    reduced, duration: duration, ticks: ticks.times,
                    isLabelled: scenario.hasOwnAxes, words)
                return (track, drawing)
            }
            return (era, ticks, tracks)
        }
    }

    var html: String {
        let id = HTMLText.identifier(scenario.id)
        let label = scenario.title.isEmpty ? "" : " aria-labelledby=\"t-\(id)\""
        return """
            <section class=scenario id="s-\(id)"\(label)>
            <header>\(head(id))</header>
            \(picture)<div class=about><div class=words>\(reasons)</div>\(facts)</div>
            \(outcomes)\(tables)</section>

            """
    }

    /// The signs that the legend must explain.
    var signs: Set<Legend.Sign> {
        let isDone = scenario.eras.contains {
            $0.facts.wallMilliseconds != nil && !$0.tracks.isEmpty
        }
        return eras.flatMap(\.tracks).reduce(into: isDone ? [.end] : []) {
            $0.formUnion($1.drawing.signs)
        }
    }

    /// The verdict as a coloured label. Its text is the causes of the difference, if there are any.
    static func verdict(_ scenario: TimelineScenario) -> String {
        guard let verdict = scenario.verdict else { return "" }
        let text = scenario.causes.isEmpty ? verdict.rawValue : scenario.causes
        return "<span class=\"verdict \(verdict.rawValue)\">\(HTMLText.escaped(text))</span>"
    }

    /// The speed of an era relative to another one.
    static func pace(_ era: TimelineEra) -> String {
        let pace = era.facts.pace ?? ""
        return pace.isEmpty ? "" : "<span class=pace>\(HTMLText.escaped(pace))</span>"
    }

    /// The eras whose results differ because of a change.
    static func eraNames(of change: TimelineChange) -> String {
        let names = change.columns.map(HTMLText.escaped)
        return names.isEmpty ? "–" : names.joined(separator: ", ")
    }

    /// The class that gives an era its colour.
    static func colour(_ era: TimelineEra) -> String {
        "e-" + era.colour.rawValue
    }

    // MARK: Words

    /// The number, title, verdict, question, conclusion and advice.
    private func head(_ id: String) -> String {
        var html = number.isEmpty ? "" : "<p class=number>\(HTMLText.escaped(number))</p>"
        if !scenario.title.isEmpty {
            html += "<h2 id=\"t-\(id)\">\(HTMLText.escaped(scenario.title))"
            html += Self.verdict(scenario) + "</h2>"
        }
        if !scenario.question.isEmpty {
            html += "<p class=question>\(HTMLText.escaped(scenario.question))</p>"
        }
        html += "<p class=conclusion>\(HTMLText.escaped(Conclusion.text(of: scenario)))</p>"
        guard !scenario.advice.isEmpty else { return html }
        return html + "<p class=advice><b>\(words.html("Look at"))</b> "
            + "\(HTMLText.escaped(scenario.advice))</p>"
    }

    /// Why the scenario failed, what differs between the eras, and which eras are missing.
    private var reasons: String {
        var html = ""
        if !scenario.failure.isEmpty {
            html += "<p class=failure>\(HTMLText.escaped(scenario.failure))</p>"
        }
        for change in scenario.changes {
            let place = change.columns.isEmpty ? "" : ", in \(Self.eraNames(of: change))"
            html += """
                <p class=difference><b>\(HTMLText.escaped(change.cause))\(place)</b> \
                \(HTMLText.escaped(change.sentence)) <cite>\(HTMLText.escaped(change.source))</cite></p>
                """
        }
        for sentence in scenario.without {
            html += "<p class=note>\(HTMLText.escaped(sentence))</p>"
        }
        return html
    }

    private var facts: String {
        let all: [(name: String, value: (TimelineFacts) -> String?)] = [
            ("results", { $0.result.map(HTMLText.escaped) }),
            ("pace", { $0.pace.map(HTMLText.escaped) }),
            ("wall, ms", { $0.wallMilliseconds.map(HTMLText.milliseconds) }),
            (
                "wall time, shortest to longest run, ms",
                { $0.wallRange.map { $0.map(HTMLText.milliseconds).joined(separator: "–") } }
            ),
            ("processor, ms", { $0.processorMilliseconds.map(HTMLText.milliseconds) }),
            ("requests", { $0.requests.map(String.init) }),
            ("connections", { $0.connections.map(String.init) }),
            ("threads at most", { $0.threads.map(String.init) }),
            ("most nested locks of one lock by one thread", { $0.peakLockDepth.map(String.init) }),
        ]
        let facts = all.filter { fact in scenario.eras.contains { fact.value($0.facts) != nil } }
        guard !facts.isEmpty else { return "" }
        let eras = scenario.eras.filter { era in facts.contains { $0.value(era.facts) != nil } }
        let names = facts.map { words.html($0.name) }
        let heads = eras.map { era in
            "<th scope=col class=\(Self.colour(era))>\(HTMLText.escaped(era.heading))"
        }
        let html = "<div class=\"scroll bare\"><table class=facts><thead><tr><td>"
        // A narrow screen has space for few columns.
        guard facts.count < eras.count else {
            let rows = zip(names, facts).map { name, fact in
                "<tr><th scope=row>\(name)"
                    + eras.map { "<td>\(fact.value($0.facts) ?? "–")" }.joined()
            }
            return html + heads.joined() + "</thead><tbody>\(rows.joined())</table></div>"
        }
        let rows = eras.map { era in
            "<tr><th scope=row class=\(Self.colour(era))>\(HTMLText.escaped(era.heading))"
                + facts.map { "<td>\($0.value(era.facts) ?? "–")" }.joined()
        }
        return html + names.map { "<th scope=col>\($0)" }.joined()
            + "</thead><tbody>\(rows.joined())</table></div>"
    }

    // MARK: Picture

    private var picture: String {
        var html = "<div class=chart><div class=scroll><div class=canvas "
        html += "data-duration=\"\(scenario.duration)\">\n"
        for (index, (era, ticks, tracks)) in eras.enumerated() {
            html += "<div class=\"era \(Self.colour(era))\"><h3>\(HTMLText.escaped(era.heading))"
            if !era.title.isEmpty { html += " <small>\(HTMLText.escaped(era.title))</small>" }
            html += "</h3>\n"
            if tracks.isEmpty {
                html += "<p class=none>\(words.html("Nothing was recorded."))</p>\n"
            }
            for (track, drawing) in tracks {
                html += """
                    <div class=track><div class=label title="\(HTMLText.escaped(words.name(track.detail)))">\
                    \(HTMLText.escaped(words.name(track.name)))\(count(of: track))</div>
                    """
                let strip = drawing.strip(
                    label:
                        "\(era.heading), \(words.name(track.name)): "
                        + words.counted(drawing.count, "mark"),
                    end: era.facts.wallMilliseconds)
                let labels = drawing.labels
                html += labels.isEmpty ? strip : "<div class=named>\(strip)\(labels)</div>"
                html += "</div>\n"
            }
            html += "</div>\n"
            if scenario.hasOwnAxes {
                html += axis(ticks, era.duration, hasTicksOnly: true) + waits(era)
                continue
            }
            // The axis is below the first era, and again below the last of many.
            if index == 0 { html += axis(ticks, scenario.duration, hasTicksOnly: false) }
            if index > 1, index == eras.count - 1 {
                html += axis(ticks, scenario.duration, hasTicksOnly: true)
            }
        }
        return html + "</div></div></div>\n"
    }

    /// The number of operations, tasks and requests of a track, and the most at one time; on the server's, of exchanges.
    ///
    /// - Returns: empty for a single one, and where the eras share an axis.
    private func count(of track: TimelineTrack) -> String {
        let kinds = track.kind == .server ? [.serverExchange] : Conclusion.jobs
        let bars = track.spans.filter { kinds.contains($0.kind) }
        guard scenario.hasOwnAxes, bars.count > 1 else { return "" }
        let most = Conclusion.most(bars)
        let text =
            words.isChinese
            ? "共 \(bars.count) 个，最多同时 \(most) 个" : "\(bars.count) in all, at most \(most) at once"
        return "<small>\(text)</small>"
    }

    /// - Parameter hasTicksOnly: whether the axis lacks the times at which the eras' runs were done.
    private func axis(_ ticks: TimeTicks, _ duration: Double, hasTicksOnly: Bool) -> String {
        var html = "<div class=axis aria-hidden=true><div class=ticks>"
        for (index, time) in ticks.times.enumerated() {
            let place = time / duration * 100
            // The last one would be cut off at the picture's edge.
            let styles = (index % 2 == 1 ? ["odd"] : []) + (place > 94 ? ["edge"] : [])
            html += """
                <span class="\(styles.joined(separator: " "))" \
                style="left:\(HTMLText.coordinate(place))%">\(ticks.text(time))</span>
                """
        }
        html += "</div>"
        for era in scenario.eras where !hasTicksOnly {
            guard let wall = era.facts.wallMilliseconds else { continue }
            let place = min(wall / duration * 100, 100)
            let side = place > 70 ? " class=left" : ""
            html += """
                <div class="done \(Self.colour(era))"><b\(side) \
                style="left:\(HTMLText.coordinate(place))%">\(HTMLText.escaped(era.name)) \(words.html("done")) \
                \(HTMLText.milliseconds(wall)) ms</b></div>
                """
        }
        return html + "</div>\n"
    }

    /// The chains of waiting threads, each as a list of names.
    private func waits(_ era: TimelineEra) -> String {
        era.waits.map { wait in
            var html = "<ol class=waits aria-label=\"\(words.html("Who waits for whom"))\">"
            for (index, member) in wait.members.enumerated() {
                let isLock = index % 2 == 1
                let name = HTMLText.escaped(words.name(member))
                let last = wait.isCircle && index == wait.members.count - 1
                let next = index < wait.members.count - 1 || last
                // A thread may also wait until another one ends. That is no lock, so no thread holds it.
                let verb = !isLock ? "waits for" : member.hasPrefix("end of ") ? "" : "held by"
                let edge = next ? "<i>\(words.html(verb)) →</i>" : ""
                html += "<li class=\(isLock ? "lock" : "thread")><b>\(name)</b>\(edge)"
            }
            if wait.isCircle {
                html += "<li class=thread><b>\(HTMLText.escaped(words.name(wait.members[0])))</b>"
                html += "<li class=circle>\(words.html("a circle: a deadlock"))"
            }
            return html + "</ol>\n"
        }.joined()
    }

    // MARK: Outcomes

    private var outcomes: String {
        let lists = scenario.eras.map { Dictionary(grouping: $0.outcomes, by: \.callback) }
        let names = Set(lists.flatMap(\.keys))
        guard !names.isEmpty else { return "" }
        let differing = names.filter { name in lists.contains { $0[name] != lists[0][name] } }
        var html = """
            <details class=outcomes><summary>\(outcomeTitle(names.count, differing.count))</summary>
            <div class=side>
            """
        // Measurements, such as a lesson's, have no thread. If no outcome has one, that column is left out.
        let hasThreads = scenario.eras.contains { $0.outcomes.contains { !$0.thread.isEmpty } }
        let heads = (hasThreads ? ["callback", "thread", "value"] : ["what", "value"]).map {
            "<th scope=col>" + words.html($0)
        }
        for era in scenario.eras where hasThreads || !era.outcomes.isEmpty {
            html += """
                <table class=\(Self.colour(era))><caption>\(HTMLText.escaped(era.heading))</caption>\
                <thead><tr>\(heads.joined())</thead><tbody>
                """
            for outcome in era.outcomes {
                html += "<tr\(differing.contains(outcome.callback) ? " class=differs" : "")>"
                let texts = [outcome.callback] + (hasThreads ? [outcome.thread] : [])
                for text in texts + [outcome.value] { html += "<td>\(HTMLText.escaped(text))" }
            }
            html += "</table>"
        }
        return html + "</div></details>\n"
    }

    private func outcomeTitle(_ count: Int, _ differing: Int) -> String {
        let differs = differing > 0 && scenario.eras.count > 1
        return words.isChinese
            ? "结果：\(count) 项" + (differs ? "，其中 \(differing) 项不同" : "")
            : "What came out: \(HTMLText.counted(count, "result"))"
                + (differs ? ", \(differing) differ" : "")
    }

    // MARK: Tables

    private var tables: String {
        var html =
            "<details class=tables><summary>\(words.html("Every track as a table"))</summary>\n"
        for (era, _, tracks) in eras {
            html += "<div class=\"era-tables \(Self.colour(era))\">"
            html += "<h3>\(HTMLText.escaped(era.heading))</h3>\n"
            for (_, drawing) in tracks { html += drawing.table }
            html += "</div>\n"
        }
        return html + "</details>\n"
    }
}

/// The ticks of an axis: about eight, in steps of 1, 2 or 5 times a power of ten.
struct TimeTicks {
    /// In milliseconds, from 0.
    let times: [Double]
    private let step: Double

    /// - Parameter duration: the axis in milliseconds, above 0.
    init(duration: Double) {
        var power = 0.001
        while power * 10 <= duration / 5 { power *= 10 }
        let steps = [1, 2, 5, 10].map { $0 * power }
        let step = steps.first { duration / $0 <= 10 } ?? power * 10
        self.step = step
        times = (0...Int((duration / step).rounded(.down))).map { Double($0) * step }
    }

    func text(_ time: Double) -> String {
        if time >= 1000, step >= 100 {
            return HTMLText.coordinate(time / 1000) + " s"
        }
        if time == 0 { return "0" }
        let decimals = step >= 1 ? HTMLText.coordinate(time) : HTMLText.exact(time)
        return decimals + " ms"
    }
}
