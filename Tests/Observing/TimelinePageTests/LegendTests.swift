import EventRecorder
import Foundation
import Testing

@testable import TimelinePage

@Suite("The legend", .timeLimit(.minutes(2)))
struct LegendTests {
    /// A page with one mark of every kind, ended or not.
    private static func everything(unfinished: Bool = false) -> TimelineDocument {
        let track = TimelineTrack(
            id: "l", name: "l", kind: .operations,
            spans: TimelineSpan.Kind.allCases.enumerated().map { index, kind in
                TimelineSpan(
                    start: Double(index) * 10 + 5, end: Double(index) * 10 + 9,
                    waited: kind == .operation ? 3 : 0, name: "", kind: kind, row: index,
                    isUnfinished: unfinished)
            },
            dots: TimelineDot.Kind.allCases.enumerated().map { index, kind in
                TimelineDot(time: Double(index) * 10 + 7, name: "", kind: kind)
            })
        return TimelineDocument(
            title: "All", date: Date(timeIntervalSince1970: 0),
            scenarios: [
                TimelineScenario(
                    id: "all", title: "",
                    eras: [
                        TimelineEra(
                            "connection", heading: "all",
                            facts: TimelineFacts(wallMilliseconds: 200), tracks: [track])
                    ])
            ])
    }

    @Test
    func `every kind of mark is explained, and nothing else is`() {
        let styles =
            TimelineSpan.Kind.allCases.map(TrackMark.style)
            + TimelineDot.Kind.allCases.map(TrackMark.style)
        let drawn = Set(styles.map(Legend.Sign.init)).union([.wait, .open, .end])
        #expect(Legend.all == drawn)
        let section = ScenarioSection(
            Self.everything(unfinished: true).scenarios[0], number: "", trackLimit: 240,
            PageWords("en"))
        #expect(section.signs == drawn)
    }

    @Test
    func `a mark that no picture draws is not in the legend`() {
        let html = Legend([.end, .init("c")]).html(PageWords("en"))
        #expect(html.contains("your block is called: a result"))
        #expect(html.contains("everything was done"))
        #expect(html.components(separatedBy: "class=sign").count == 3)
        #expect(!html.contains("Sockets"))
        #expect(Legend([]).html(PageWords("en")) == "")
    }

    @Test
    func `a page in Chinese has no word of the page's own in English`() {
        var document = Self.everything(unfinished: true)
        document.language = "zh-Hans"
        document.scenarios[0].eras[0].outcomes = [
            TimelineOutcome(callback: "", thread: "", value: "")
        ]
        document.scenarios[0].conclusion = "。"
        document.title = "。"
        document.scenarios[0].eras[0].heading = "。"
        document.scenarios[0].eras[0].name = "。"
        document.scenarios[0].eras[0].tracks[0].name = "main"
        document.scenarios[0].eras[0].waits = [
            TimelineWait(members: ["main", "lock"], isCircle: true)
        ]
        let page = TimelinePage.html(of: document)
        #expect(page.contains("<html lang=\"zh-Hans\">"))
        let body = page.components(separatedBy: "<body>").last ?? ""
        let shown = (body.components(separatedBy: "<script>").first ?? "")
            .replacing(/<[^>]*>/, with: " ")
        // Units, and words that a developer in Chinese leaves as they are.
        let known: Set = [
            "ms", "UTC", "RunLoop", "TLS", "block", "delegate", "mode", "body", "Tab",
        ]
        let english = shown.matches(of: /[A-Za-z]+/).map { String($0.0) }
            .filter { !known.contains($0) }
        #expect(english == [])
    }

    private struct Seen: Decodable {
        var drawn: [String]
        var explained: [String]
    }

    /// The classes of all paths in the pictures, and of those in the legend.
    private static let classes = Probe(
        script: """
              const classes = (selector) => [...new Set(all(selector).flatMap((e) => [...e.classList]))].sort();
              return { drawn: classes("svg.plot path"), explained: classes(".legend svg path") };
            """)

    @Test
    func `in the browser what is drawn is explained, and what is explained is drawn`() throws {
        let documents = [
            Self.everything(), Self.everything(unfinished: true), .sample(),
        ]
        var pages = documents.map { TimelinePage.html(of: $0) }
        pages.append(TimelinePage.html(of: Tape.connection(3).recording, title: "Mine"))
        pages.append(TimelinePage.html(of: Tape.retried().recording, title: "Mine"))
        var counts: [Int] = []
        for html in pages {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let page = try folder.write(Self.classes.into(html), as: "page.html")
            let result = try Browser().document(of: page, width: 1_280)
            let seen: Seen = try Probe.answer(in: result.output)
            #expect(seen.drawn == seen.explained)
            counts.append(seen.drawn.count)
        }
        // A page without its marks would pass.
        #expect(counts[0] == TimelineSpan.Kind.allCases.count - 2 + 11 + 1)
        #expect(counts.allSatisfy { $0 > 5 })
    }
}
