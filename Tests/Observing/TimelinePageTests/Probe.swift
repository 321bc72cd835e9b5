import Foundation

@testable import TimelinePage

/// A script put into a copy of the page, which leaves what it saw in an attribute of the document.
struct Probe {
    /// Statements that end with `return` and a value JSON can hold.
    var script: String

    func into(_ html: String) -> String {
        let text = """
            <script>
            document.documentElement.dataset.probe = JSON.stringify((() => {
              const all = (selector) => [...document.querySelectorAll(selector)];
            \(script)
            })());
            </script>
            </body>
            """
        return html.replacingOccurrences(of: "</body>", with: text)
    }

    /// The same at a width that no window may have: in a frame, whose answer is handed out.
    func into(_ html: String, width: Int) -> String {
        """
        <!DOCTYPE html><html><body><script>
        function handOut(frame) {
          document.documentElement.dataset.probe = frame.contentDocument.documentElement.dataset.probe;
        }
        </script><iframe style="width: \(width)px; height: 900px; border: 0" onload="handOut(this)"
        srcdoc="\(HTMLText.escaped(into(html)))"></iframe></body></html>
        """
    }

    /// What the script returned.
    static func answer<Answer: Decodable>(
        in document: String, as type: Answer.Type = Answer.self
    ) throws -> Answer {
        guard let start = document.range(of: "data-probe=\""),
            let end = document[start.upperBound...].firstIndex(of: "\"")
        else { throw NoAnswer() }
        let text = document[start.upperBound..<end].replacingOccurrences(of: "&quot;", with: "\"")
            .replacingOccurrences(of: "&lt;", with: "<").replacingOccurrences(of: "&gt;", with: ">")
            .replacingOccurrences(of: "&nbsp;", with: "\u{a0}")
            .replacingOccurrences(of: "&amp;", with: "&")
        return try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
    }

    struct NoAnswer: Error, CustomStringConvertible {
        var description: String { "The page has no data-probe: the probe's script did not run" }
    }
}

extension Probe {
    /// The texts whose contrast with what is behind them is below 4.5, as WCAG's level AA asks.
    static let contrast = Probe(
        script: """
              const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
              const rgb = (colour) => {
                canvas.clearRect(0, 0, 1, 1);
                canvas.fillStyle = colour;
                canvas.fillRect(0, 0, 1, 1);
                return [...canvas.getImageData(0, 0, 1, 1).data];
              };
              const light = ([r, g, b]) => {
                const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                return 0.2126 * x + 0.7152 * y + 0.0722 * z;
              };
              const behind = (element) => {
                for (let at = element; at; at = at.parentElement) {
                  const colour = rgb(getComputedStyle(at).backgroundColor);
                  if (colour[3] === 255) return colour;
                }
                return rgb(getComputedStyle(document.documentElement).backgroundColor);
              };
              for (const details of all("details")) details.open = true;
              const weak = new Set();
              for (const element of all("body *")) {
                const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
                if (!own || element.closest("script, option, datalist, svg, [hidden]")) continue;
                const [front, back] = [light(rgb(getComputedStyle(element).color)), light(behind(element))];
                const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
                if (ratio < 4.5) weak.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
              }
              return [...weak];
            """)
}
