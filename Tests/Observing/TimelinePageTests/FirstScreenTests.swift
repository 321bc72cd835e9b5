import EventRecorder
import Foundation
import Testing

@testable import TimelinePage

@Suite("What a reader sees first", .serialized, .timeLimit(.minutes(4)))
struct FirstScreenTests {
    private struct Seen: Decodable {
        var bottom: Double
        var small: [String]
        var conclusions: [String]
        var sentences: [String]
    }

    private static let probe = Probe(
        script: """
              const small = new Set();
              const [plot, picture] = [document.querySelector("svg.plot"), document.querySelector(".chart")];
              const bottom = plot.getBoundingClientRect().bottom;
              for (const details of all("details")) details.open = true;
              for (const element of all("body *")) {
                const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
                if (!own || element.closest("script, option, datalist, [hidden]")) continue;
                const size = parseFloat(getComputedStyle(element).fontSize);
                if (size <= 11) small.add(`${element.tagName}.${element.className}: ${size}`);
              }
              const before = (e) => e.closest(".scenario").querySelector(".chart").compareDocumentPosition(e) & Node.DOCUMENT_POSITION_PRECEDING;
              return {
                bottom, small: [...small],
                conclusions: all("p.conclusion").filter(before).map((e) => e.textContent),
                sentences: all(".overview .sentence").map((e) => e.textContent),
              };
            """)

    private func seen(_ html: String, width: Int) throws -> Seen {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let text = width < 500 ? Self.probe.into(html, width: width) : Self.probe.into(html)
        let page = try folder.write(text, as: "page.html")
        let result = try Browser().document(of: page, width: width)
        #expect(result.console == [])
        return try Probe.answer(in: result.output)
    }

    /// The page of a comparison as large as the real one, and that of a recording.
    private static let pages = [
        TimelinePage.html(of: .sample([10, 30] + Array(repeating: 3, count: 23))),
        TimelinePage.html(of: Tape.connection(10).recording, title: "What eras fetch did"),
    ]

    @Test(arguments: [0, 1])
    func `on a screen 400 wide and 800 high the first track of a picture is there`(page: Int) throws
    {
        let seen = try seen(Self.pages[page], width: 400)
        #expect(seen.bottom < 800, "\(seen.bottom)")
    }

    @Test(arguments: [400, 1_280])
    func `no text is as small as 11 pixels`(width: Int) throws {
        for html in Self.pages {
            #expect(try seen(html, width: width).small == [])
        }
    }

    @Test
    func `each picture begins with its conclusion, and the page with all of them`() throws {
        let seen = try seen(TimelinePage.html(of: .sample()), width: 1_280)
        #expect(seen.conclusions.count == 3)
        #expect(seen.sentences == seen.conclusions)
        #expect(seen.conclusions[0] == "All 10 came <back>.")
        #expect(
            seen.conclusions[1]
                == "From the first to the last mark: connection 52.0 ms, session 19.0 ms, "
                + "request 19.0 ms, foundation 19.0 ms.")
        #expect(seen.conclusions[2] == "It failed: It failed 2.")
    }

    @Test
    func `the list says that its bars have a scale for each picture`() {
        let words = "Each scenario has a scale of its own"
        #expect(TimelinePage.html(of: .sample()).contains(words))
        #expect(!Self.pages[1].contains(words))
    }
}
