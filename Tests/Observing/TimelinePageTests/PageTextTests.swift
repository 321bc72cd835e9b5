import Foundation
import Testing

@testable import TimelinePage

@Suite("The page as text", .timeLimit(.minutes(1)))
struct PageTextTests {
    private let html = TimelinePage.html(of: .sample())

    @Test
    func `nothing is loaded: no address in a tag or in the style, and the page forbids it itself`()
    {
        for word in ["src=", "<link", "<iframe", "@import", "url(", "href=\"http", "fetch("] {
            #expect(!html.contains(word), "\(word)")
        }
        #expect(html.contains("default-src 'none'"))
    }

    @Test
    func `text that looks like a tag stays text`() {
        #expect(html.contains("&lt;b&gt;bold&lt;/b&gt; &amp; &quot;quoted&quot; &lt;/script&gt;"))
        #expect(html.components(separatedBy: "<script").count == 2)
        #expect(html.components(separatedBy: "</script").count == 2)
        #expect(HTMLText.escaped("a\u{0}b\u{9f}'") == "a\u{FFFD}b\u{FFFD}&#39;")
    }

    @Test
    func `there is no text of a document that is not escaped`() throws {
        let trap = "<u>&\"'"
        let document = try Self.document(.sample([2]), with: trap)
        #expect(document.scenarios[0].eras[1].tracks[0].spans[0].subject.hasSuffix(trap))
        let html = TimelinePage.html(of: document)
        #expect(!html.contains("<u>"))
        #expect(!html.contains("&\""))
        #expect(html.components(separatedBy: "&lt;u&gt;&amp;&quot;&#39;").count > 100)
    }

    /// The same with something behind every text.
    private static func document(
        _ document: TimelineDocument, with suffix: String
    ) throws -> TimelineDocument {
        let fixed: Set = ["kind", "verdict", "colour"]
        func changed(_ value: Any) -> Any {
            switch value {
            case let text as String: text + suffix
            case let list as [Any]: list.map(changed)
            case let object as [String: Any]:
                Dictionary(
                    uniqueKeysWithValues: object.map { key, value in
                        (key, fixed.contains(key) ? value : changed(value))
                    })
            default: value
            }
        }
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(document))
        return try JSONDecoder().decode(
            TimelineDocument.self, from: JSONSerialization.data(withJSONObject: changed(object)))
    }

    @Test
    func `text that looks like a placeholder is not replaced`() {
        var document = TimelineDocument.sample([1])
        document.title = "{{script}} {{ }}"
        let html = TimelinePage.html(of: document)
        #expect(html.contains("<h1>{{script}} {{ }}</h1>"))
        #expect(html.hasSuffix("</html>\n"))
    }

    @Test
    func `every mark of a strip has its line in that track's table`() {
        for scenario in TimelineDocument.sample().scenarios {
            for track in scenario.eras.flatMap(\.tracks) {
                let drawing = TrackDrawing(
                    track, duration: scenario.duration, ticks: [0, 5], PageWords("en"))
                let strip = drawing.strip(label: "", end: 5)
                #expect(strip.components(separatedBy: "<path class=").count - 2 == drawing.count)
                #expect(drawing.table.components(separatedBy: "\n<tr>").count - 1 == drawing.count)
                #expect(drawing.count == track.spans.count + track.dots.count)
            }
        }
    }

    @Test
    func `a recording by itself has neither differences, nor a list, nor a choice`() {
        let html = TimelinePage.html(
            of: Tape.connection(3).recording, title: "A fetch of <url>", heading: "what happened")
        #expect(html.contains("<h1>A fetch of &lt;url&gt;</h1>"))
        #expect(html.contains("<h3>what happened</h3>"))
        #expect(
            html.contains(
                "<p class=conclusion>3 operations in 6.5 ms, at most 3 at a time, on 3 sockets; "
                    + "your blocks were called 3 times.</p>"))
        for word in ["class=differences", "class=overview", "id=picker", "class=verdict"] {
            #expect(!html.contains(word), "\(word)")
        }
    }

    @Test
    func `each change is under the heading of its cause, and a cause without one has none`() {
        let parts = html.components(separatedBy: "<section class=differences>")
        #expect(parts.count == 3)
        #expect(parts[1].hasPrefix("<h2>What changed, and why</h2>"))
        #expect(parts[2].hasPrefix("<h2>What Foundation on Linux does</h2>"))
        for index in 0..<3 {
            #expect(parts[1].contains("Change \(index)"))
            #expect(!parts[1].contains("Foundation&#39;s part \(index)"))
            #expect(parts[2].components(separatedBy: "</section>")[0].contains("part \(index)."))
        }
        #expect(!html.contains("Nothing</h2>"))
    }

    @Test
    func `each scenario has the cause of a difference, and each era its pace`() {
        // In the list and at the scenario's head.
        #expect(
            html.components(separatedBy: "different\">Foundation on Linux</span>").count == 3)
        #expect(html.components(separatedBy: "<span class=pace>slower</span>").count == 1 + 9)
        #expect(html.components(separatedBy: "<p class=failure>It failed 2.").count == 2)
        #expect(html.components(separatedBy: "<li class=e-").count == 1 + 4)
    }

    @Test
    func `an era that is missing is reported, with the reason`() {
        var document = TimelineDocument.sample([1])
        document.scenarios[0].without = ["No column for it: <none>."]
        let html = TimelinePage.html(of: document)
        #expect(html.contains("<p class=note>No column for it: &lt;none&gt;.</p>"))
    }

    @Test
    func `where Foundation is shown, the page says what URLSession does not report`() {
        let words = "URLSession does not report its sockets"
        #expect(html.contains(words))
        #expect(html.contains("Numbers in parentheses"))
        var document = TimelineDocument.sample([1])
        document.scenarios[0].eras.removeAll { $0.colour == .foundation }
        #expect(!TimelinePage.html(of: document).contains(words))
    }

    @Test
    func `sixteen scenarios in four eras, one of a hundred operations, stay below 1.2 megabytes`() {
        let usual = TimelinePage.html(of: .sample([10, 30, 100] + Array(repeating: 10, count: 13)))
        #expect(usual.utf8.count < 1_200_000, "\(usual.utf8.count)")
    }

    @Test
    func `sixteen scenarios of a hundred operations in four eras stay below 2.5 megabytes`() {
        let html = TimelinePage.html(of: .sample(Array(repeating: 100, count: 16)))
        #expect(html.utf8.count < 2_500_000, "\(html.utf8.count)")
    }

    @Test
    func `the document survives being written and read`() throws {
        let document = TimelineDocument.sample([3])
        let copy = try JSONDecoder().decode(
            TimelineDocument.self, from: JSONEncoder().encode(document))
        #expect(copy == document)
    }

    @Test(
        arguments: [0.004, 0.9, 7, 32, 61.3, 100, 214, 1_000, 5_500, 86_400_000])
    func `ticks are round numbers, between five and eleven of them`(duration: Double) {
        let ticks = TimeTicks(duration: duration)
        #expect((5...11).contains(ticks.times.count), "\(ticks.times)")
        #expect(ticks.times.allSatisfy { $0 <= duration })
        #expect(Set(ticks.times.map(ticks.text)).count == ticks.times.count)
    }

    @Test
    func `numbers are short in words, exact in tables`() {
        #expect(HTMLText.milliseconds(0.044) == "0.04")
        #expect(HTMLText.milliseconds(3.14) == "3.1")
        #expect(HTMLText.milliseconds(213.6) == "214")
        #expect(HTMLText.exact(0.1) == "0.100")
        #expect(HTMLText.exact(.nan) == "-")
        #expect(HTMLText.coordinate(12.34) == "12.3")
        #expect(HTMLText.coordinate(12.04) == "12")
        #expect(HTMLText.grouped(14_336) == "14\u{2009}336")
        #expect(HTMLText.identifier("a b/<c>9") == "a-b--c-9")
    }
}
