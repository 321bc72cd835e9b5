import Foundation
import Testing

@testable import TimelinePage

@Suite("The page in Chromium", .serialized, .timeLimit(.minutes(4)))
struct BrowserTests {
    private let html = TimelinePage.html(of: .sample())

    /// The page with a probe in it, opened at a width.
    private func open(
        _ probe: Probe, width: Int = 1_280, dark: Bool = false
    ) throws -> Browser.Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // A window is at least 500 wide.
        let text = width < 500 ? probe.into(html, width: width) : probe.into(html)
        let page = try folder.write(text, as: "page.html")
        return try Browser().document(of: page, width: width, dark: dark)
    }

    private struct Shape: Decodable {
        var width: Int
        var scrollWidth: Int
        var widest: [String]
        var tracks: Int
        var bars: Int
        var dots: Int
        var headings: [String]
        var differences: [String]
        var named: [String]
        var done: [String]
        var plotWidth: Double
    }

    private let shape = Probe(
        script: """
              const root = document.documentElement;
              return {
                width: root.clientWidth, scrollWidth: root.scrollWidth,
                widest: all("body *").filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1 && !e.closest(".scroll")).map((e) => e.tagName + "." + e.className),
                tracks: all("svg.plot").length,
                bars: all("svg.plot .op").length, dots: all("svg.plot .c").length,
                headings: all(".era h3").map((e) => e.textContent.trim()),
                differences: all(".differences tbody td:nth-child(2)").map((e) => e.textContent.trim()),
                named: all("p.difference").map((e) => e.textContent.trim()),
                done: all(".scenario:first-child .done").map((e) => e.textContent.trim()),
                plotWidth: document.querySelector("svg.plot").getBoundingClientRect().width,
              };
            """)

    @Test(
        arguments: [1_280, 400])
    func `it has its tracks, bars, dots and differences, and its console is silent`(width: Int)
        throws
    {
        let result = try open(shape, width: width)
        #expect(result.console == [])
        let shape = try Probe.answer(in: result.output, as: Shape.self)
        #expect(shape.width == width)
        #expect(shape.tracks == 3 * (7 + 3 * 4))
        #expect(shape.bars == 4 * (10 + 30 + 1))
        #expect(shape.dots >= 4 * (10 + 1))
        #expect(shape.headings.count == 12)
        #expect(shape.headings.first == "connection era operations on one network thread")
        #expect(shape.headings[3] == "session era on Foundation tasks")
        #expect(shape.differences.count == 6)
        for index in 0..<3 {
            #expect(
                shape.differences[index].hasPrefix("Change \(index): <b>bold</b> & \"quoted\""))
            #expect(shape.differences[index + 3] == "Foundation's part \(index).")
            #expect(
                shape.named[2 * index + 1]
                    == "Foundation on Linux, in foundation Foundation's part \(index). Measured")
        }
        // One below the other, in the order of the eras.
        #expect(
            shape.done.map { $0.prefix { $0 != " " } }
                == ["connection", "session", "request", "foundation"])
    }

    @Test(
        arguments: [1_280, 400, 320])
    func `the page never scrolls sideways, and the picture fills its box`(_ width: Int) throws {
        let shape = try Probe.answer(in: open(shape, width: width).output, as: Shape.self)
        #expect(shape.scrollWidth <= shape.width)
        #expect(shape.widest == [])
        #expect(shape.plotWidth > Double(shape.width) * 0.75)
    }

    @Test
    func `an error in the console would be seen`() throws {
        let result = try open(Probe(script: "console.error('planted'); return 1;"))
        #expect(result.console.contains { $0.contains("planted") })
    }

    @Test(
        arguments: [false, true])
    func `text has enough contrast, in light and in dark`(dark: Bool) throws {
        let result = try open(.contrast, dark: dark)
        #expect(try Probe.answer(in: result.output, as: [String].self) == [])
        #expect(result.console == [])
    }

    @Test
    func `the picture is drawn without the script, too`() throws {
        let parts = html.components(separatedBy: "<script>")
        let silent =
            parts[0] + Probe(script: "return all('svg.plot path.op').length;").into("</body>")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let page = try folder.write(silent + "</html>", as: "page.html")
        let result = try Browser().document(of: page, width: 1_280)
        #expect(try Probe.answer(in: result.output, as: Int.self) == 164)
        #expect(result.output.contains("class=\"controls\" hidden"))
    }

    @Test
    func `on paper every scenario is there, whichever one a reader had chosen`() throws {
        let all = try pages(Probe(script: "return 0;"))
        let chosen = try pages(
            Probe(
                script: """
                      const picker = document.getElementById("picker");
                      picker.value = "s-scenario-1";
                      picker.dispatchEvent(new Event("change"));
                      return 0;
                    """))
        // The first page, and one for each scenario at least.
        #expect(all >= 4)
        #expect(chosen == all)
    }

    /// How many pages of paper the page fills.
    private func pages(_ probe: Probe) throws -> Int {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let page = try folder.write(probe.into(html), as: "page.html")
        let file = folder.url.appendingPathComponent("page.pdf")
        let result = try Browser().paper(of: page, to: file)
        #expect(result.console == [])
        let bytes = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        return bytes.components(separatedBy: "/Type /Page\n").count - 1
    }
}
