public import EventRecorder
import Foundation

/// Draws recordings as one HTML file, which needs no network and no other file.
///
/// Your own recording becomes a page in one call:
///
/// ```swift
/// try EventRecorder.start()
/// // … the code that you want to observe …
/// let page = TimelinePage.html(of: EventRecorder.stop(), title: "My batch")
/// try Data(page.utf8).write(to: file)
/// ```
///
/// The page is complete without its script: the pictures are SVG, their texts are tables. The
/// script adds reading by pointer and keyboard, a filter, the choice of a picture and zoom.
public struct TimelinePage {
    private let document: TimelineDocument
    private let article: String
    private let words: PageWords
    private let sections: [ScenarioSection]

    /// The page of a recording.
    ///
    /// - Parameters:
    ///   - recording: what `EventRecorder.stop()` returned.
    ///   - title: the page's heading.
    ///   - heading: the heading of the tracks.
    ///   - conclusion: what the picture shows, in one sentence; if empty, it is made from the tracks.
    ///   - machine: processor, system and compiler, in one line; may be empty.
    /// - Returns: the page's text, to be written as UTF-8.
    public static func html(
        of recording: Recording, title: String, heading: String = "What was recorded",
        conclusion: String = "", machine: String = ""
    ) -> String {
        html(
            of: TimelineDocument(
                title: title, machine: machine, date: recording.startDate,
                scenarios: [
                    TimelineScenario(
                        id: "recording", title: "", conclusion: conclusion,
                        eras: [
                            TimelineEra("connection", heading: heading, recording: recording)
                        ])
                ]))
    }

    /// The page of a document.
    ///
    /// - Returns: the page's text, to be written as UTF-8.
    public static func html(of document: TimelineDocument) -> String {
        TimelinePage(document).html
    }

    /// The page of a document, with an article after the pictures.
    ///
    /// - Parameter article: HTML, which is not escaped.
    package static func html(of document: TimelineDocument, article: String) -> String {
        TimelinePage(document, article: article).html
    }

    private init(_ document: TimelineDocument, article: String = "") {
        self.document = document
        self.article = article
        let words = PageWords(document.language)
        self.words = words
        let trackLimit = Self.trackLimit(for: document)
        let count = document.scenarios.count
        sections = document.scenarios.enumerated().map { index, scenario in
            ScenarioSection(
                scenario,
                number: count > 1
                    ? "\(document.noun.capitalized) \(index + 1) of \(count)" : "",
                trackLimit: trackLimit, words)
        }
    }

    /// The most marks of a page, as far as merging can reach that. A mark takes about 110 bytes, so these
    /// take less than a megabyte and a half.
    private static let markLimit = 12_000

    /// The most mergeable marks of a track, so that the page has at most `markLimit` marks; 12 if no limit
    /// reaches that.
    private static func trackLimit(for document: TimelineDocument) -> Int {
        let counts = document.scenarios.flatMap { scenario in
            let reduction = MarkReduction(duration: scenario.duration, limit: .max)
            return scenario.eras.flatMap(\.tracks).map { track in
                let reduced = reduction.reduced(track)
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
        let signs = sections.reduce(into: Set<Legend.Sign>()) { $0.formUnion($1.signs) }
        let parts = [
            "title": HTMLText.escaped(document.title),
            "style": Self.resource(PackageResources.page_css),
            "script": Self.resource(PackageResources.page_js),
            "words": words.script, "language": HTMLText.escaped(document.language),
            "how": words.html("How to read the pictures"), "dark": words.html("Dark"),
            "hint": words.html(Self.hint), "drawn": words.html(Self.drawn),
            "article": article,
            "head": head, "overview": Overview(document).html, "legend": Legend(signs).html(words),
            "silence": silence, "controls": controls,
            "scenarios": sections.map(\.html).joined(separator: "\n"),
            "differences": ChangeTables(document).html, "machine": machine,
        ]
        // In one pass: placeholders in inserted text are not replaced.
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

    private static let hint =
        "Point at a track, or go to it with Tab and through it with the arrow keys, to read one "
        + "mark after the other."
    private static let drawn =
        "Drawn from recordings of real runs. Marks too close to be told apart are drawn as one "
        + "that says how many it stands for; the tables hold the same marks in words."

    private static func resource(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Around the pictures

    private var head: String {
        let subtitle = HTMLText.escaped(document.subtitle)
        return "<h1>\(HTMLText.escaped(document.title))</h1>\n"
            + (subtitle.isEmpty ? "" : "<p class=subtitle>\(subtitle)</p>\n")
    }

    private var machine: String {
        let places = [document.machine, text(of: document.date)].filter { !$0.isEmpty }
        return HTMLText.escaped(places.joined(separator: ", "))
    }

    private func text(of date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_GB")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat =
            words.isChinese ? "yyyy-MM-dd HH:mm 'UTC'" : "d MMMM yyyy, HH:mm 'UTC'"
        return formatter.string(from: date)
    }

    /// The note on what Foundation's URLSession does not report.
    private var silence: String {
        let exists = document.scenarios.contains { scenario in
            scenario.eras.contains { $0.colour == .foundation }
        }
        guard exists else { return "" }
        return "<p class=note>URLSession does not report its sockets or when an exchange begins: "
            + "a run on it has no track for sockets, and its bars have no core.</p>\n"
    }

    /// The controls, which the script shows because they need it.
    private var controls: String {
        var html = ""
        if document.scenarios.count > 1 {
            html += """
                <label>\(HTMLText.escaped(document.noun.capitalized)) <select id=picker>\
                <option value=\"\">\(words.html("all"))</option>
                """
            for scenario in document.scenarios {
                html += """
                    <option value="s-\(HTMLText.identifier(scenario.id))">\
                    \(HTMLText.escaped(scenario.title))</option>
                    """
            }
            html += "</select></label>"
        }
        let kinds = Set(TimelineSpan.Kind.allCases.map(\.rawValue))
            .union(TimelineDot.Kind.allCases.map(\.rawValue)).map { words($0) }.sorted()
        html += """
            <label class=filter>\(words.html("Filter")) <input id=filter type=search list=kinds \
            placeholder="\(words.html("callback, operation 3, /items"))" autocomplete=off spellcheck=false></label>\
            <datalist id=kinds>\(kinds.map { "<option value=\"\($0)\">" }.joined())</datalist>\
            <output id=matches for=filter></output>
            """
        return html
    }
}
