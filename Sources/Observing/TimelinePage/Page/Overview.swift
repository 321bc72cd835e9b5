/// The list of pictures with their conclusions; empty for a page of one picture.
struct Overview {
    private let document: TimelineDocument

    init(_ document: TimelineDocument) {
        self.document = document
    }

    var html: String {
        let pictures = document.scenarios
        guard pictures.count > 1 else { return "" }
        let noun = HTMLText.escaped(document.noun)
        let bars = pictures.contains { Self.walls($0).count > 1 }
        let scale =
            bars
            ? "<p class=note>A bar is an era's wall time. Each \(noun) has a scale of its own: "
                + "its longest bar is its slowest era.</p>" : ""
        return """
            <nav class=overview aria-label=Conclusions><details class=fold open>\
            <summary><h2>\(pictures.count) \(noun)s, a sentence each</h2></summary>\
            \(key)\(scale)<ol>
            \(pictures.map(item).joined(separator: "\n"))
            </ol></details></nav>

            """
    }

    private static func walls(_ scenario: TimelineScenario) -> [Double] {
        scenario.eras.compactMap(\.facts.wallMilliseconds)
    }

    private func item(_ scenario: TimelineScenario) -> String {
        var html = """
            <li><a href="#s-\(HTMLText.identifier(scenario.id))">\
            <b>\(HTMLText.escaped(scenario.title))</b>\(ScenarioSection.verdict(scenario))\
            <span class=sentence>\(HTMLText.escaped(Conclusion.text(of: scenario)))</span>
            """
        let most = Self.walls(scenario).max() ?? 0
        for era in scenario.eras {
            guard let wall = era.facts.wallMilliseconds, most > 0 else { continue }
            let part = HTMLText.coordinate(wall / most * 100)
            html += """
                <span class="wall \(ScenarioSection.colour(era))"><i style="width:\(part)%">\
                </i><em>\(HTMLText.milliseconds(wall)) ms</em>\(ScenarioSection.pace(era))</span>
                """
        }
        return html + "</a>"
    }

    /// The legend of the eras' colours.
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
}
