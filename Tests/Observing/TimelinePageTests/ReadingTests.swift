import Foundation
import Testing

@testable import TimelinePage

@Suite("Reading the page in Chromium", .serialized, .timeLimit(.minutes(4)))
struct ReadingTests {
    private func answer<Answer: Decodable>(
        _ script: String, as type: Answer.Type = Answer.self
    ) throws -> Answer {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let html = Probe(script: script).into(TimelinePage.html(of: .sample()))
        let page = try folder.write(html, as: "page.html")
        let result = try Browser().document(of: page, width: 1_280)
        #expect(result.console == [])
        return try Probe.answer(in: result.output)
    }

    @Test
    func `with the arrow keys one reads a track mark by mark, the lock's depth among them`() throws
    {
        let texts: [String] = try answer(
            """
              const plot = all("svg.plot").find((e) => e.ariaLabel.startsWith("connection era, other threads"));
              plot.focus();
              const reading = document.getElementById("reading");
              const texts = [];
              for (const key of ["ArrowRight", "ArrowRight", "Home", "End", "Escape"]) {
                plot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
                texts.push(reading.hidden ? "" : reading.textContent);
              }
              return texts;
            """)
        #expect(texts[0].hasPrefix("lock held: depth 1"))
        #expect(texts[0].contains("operation 1"))
        #expect(texts[1].contains("lock held: depth"))
        #expect(texts[2] == texts[0])
        #expect(texts[3] != texts[0])
        #expect(texts[4] == "")
    }

    @Test
    func `the mark under the pointer is shown, and so are those of its subject`() throws {
        struct Seen: Decodable {
            var text: String
            var marked: [String]
        }
        let seen: Seen = try answer(
            """
              const plot = all("svg.plot").find((e) => e.ariaLabel.startsWith("connection era, operations"));
              const bar = plot.querySelector(".op").getBoundingClientRect();
              plot.dispatchEvent(new PointerEvent("pointermove", { clientX: bar.right - 3, clientY: bar.top + 1, bubbles: true }));
              const track = (e) => e.closest(".track").querySelector(".label").textContent;
              return { text: document.getElementById("reading").textContent,
                       marked: [...new Set(all(".read").map(track))] };
            """)
        #expect(seen.text.contains("GET /items/1"))
        #expect(seen.text.contains("operation 1"))
        #expect(
            Set(seen.marked).isSuperset(
                of: ["main", "operations", "network thread", "processing queue"]))
    }

    @Test
    func `the filter quiets what does not fit, in pictures and tables`() throws {
        struct Seen: Decodable {
            var all: Int
            var quiet: Int
            var lines: Int
            var hidden: Int
            var text: String
            var wasRead: Bool
            var isRead: Bool
        }
        let seen: Seen = try answer(
            """
              const [filter, reading] = ["filter", "reading"].map((id) => document.getElementById(id));
              document.querySelector("svg.plot").dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
              const wasRead = !reading.hidden;
              filter.value = "callback, operation 1";
              const later = window.setTimeout;
              window.setTimeout = (f) => { f(); return 0; };
              filter.dispatchEvent(new Event("input"));
              window.setTimeout = later;
              return { all: all("svg.plot > path").length, quiet: all("svg.plot > path.quiet").length,
                       lines: all(".marks tbody tr").length, hidden: all(".marks tbody tr[hidden]").length,
                       text: document.getElementById("matches").textContent,
                       wasRead, isRead: !reading.hidden };
            """)
        // What was read before would lie over what is looked for.
        #expect(seen.wasRead && !seen.isRead)
        #expect(seen.all == seen.lines)
        #expect(seen.quiet == seen.hidden)
        #expect(seen.quiet > 0 && seen.quiet < seen.all)
        #expect(seen.text == "\(seen.all - seen.quiet) of \(seen.all) marks")
    }

    @Test
    func `one scenario can be chosen, the colours switched, the picture widened in its box`() throws
    {
        struct Seen: Decodable {
            var shown: [String]
            var theme: String
            var ratio: Double
            var sideways: Bool
        }
        let seen: Seen = try answer(
            """
              const picker = document.getElementById("picker");
              picker.value = "s-scenario-1";
              picker.dispatchEvent(new Event("change"));
              document.getElementById("theme").click();
              const chart = document.querySelector("#s-scenario-1 .chart");
              chart.querySelectorAll(".zoom button")[1].click();
              const [scroll, root] = [chart.querySelector(".scroll"), document.documentElement];
              return { shown: all(".scenario:not([hidden])").map((e) => e.id), theme: root.dataset.theme,
                       ratio: scroll.scrollWidth / scroll.clientWidth, sideways: root.scrollWidth > root.clientWidth };
            """)
        #expect(seen.shown == ["s-scenario-1"])
        #expect(seen.theme == "dark")
        #expect(abs(seen.ratio - 2) < 0.05)
        #expect(!seen.sideways)
    }
}
