import Foundation

/// The tables of changes below the timelines: one for each cause, with a row for each change and scenario.
struct ChangeTables {
    private let document: TimelineDocument

    init(_ document: TimelineDocument) {
        self.document = document
    }

    var html: String {
        let tables = document.groups.map(table)
        guard tables.contains(where: { !$0.isEmpty }) else { return "" }
        let note = HTMLText.escaped(document.note)
        return tables.joined() + (note.isEmpty ? "" : "<p class=note>\(note)</p>\n")
    }

    /// The table of one cause; empty if no change has this cause.
    private func table(_ group: TimelineDocument.Group) -> String {
        let lines = document.scenarios.flatMap { scenario in
            scenario.changes.filter { $0.cause == group.cause }.map { (scenario, $0) }
        }
        guard !lines.isEmpty else { return "" }
        var html = """
            <section class=differences><h2>\(HTMLText.escaped(group.heading))</h2>
            <table><thead><tr><th scope=col>\(HTMLText.escaped(document.noun.capitalized))\
            <th scope=col>What, and why\
            <th scope=col>Results differ in<th scope=col>Source</thead><tbody>

            """
        for (scenario, change) in lines {
            html += """
                <tr><th scope=row><a href="#s-\(HTMLText.identifier(scenario.id))">\
                \(HTMLText.escaped(scenario.title))</a><td>\(HTMLText.escaped(change.sentence))\
                <td>\(ScenarioSection.eraNames(of: change))<td>\(HTMLText.escaped(change.source))

                """
        }
        return html + "</table></section>\n"
    }
}
