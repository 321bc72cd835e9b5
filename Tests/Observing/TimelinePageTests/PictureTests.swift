import Foundation
import Testing

@testable import TimelinePage

/// The README's picture: the first scenario of a page, without what surrounds it.
///
/// `COMPARISON_PAGE` names the page (a sample without it) and `COMPARISON_PICTURE` the file to make.
@Suite("The README's picture", .serialized, .timeLimit(.minutes(2)))
struct PictureTests {
    /// About as wide as a README is shown, so that its text is not made smaller.
    private static let width = 900
    private static let alone = """
        <style>.differences, .overview, .note, .legend, .controls, .zoom, footer, details, .number, .about,
        .scenario ~ .scenario { display: none !important; }
        body { padding: 2rem 1.75rem; } .top { border: 0; padding: 0; }
        main > .scenario:first-child { margin-top: 1rem; }</style></head>
        """

    @Test
    func `it is a picture of all eras, whose text stays readable, below 400 kB`() throws {
        let settings = ProcessInfo.processInfo.environment
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let html =
            try settings["COMPARISON_PAGE"].map { try String(contentsOfFile: $0, encoding: .utf8) }
            ?? TimelinePage.html(of: .sample())
        let text = html.replacingOccurrences(of: "</head>", with: Self.alone)
        let browser = try Browser()
        let measured = try folder.write(
            Probe(script: "return Math.ceil(document.body.getBoundingClientRect().height);")
                .into(text), as: "measured.html")
        let height: Int = try Probe.answer(
            in: browser.document(of: measured, width: Self.width, height: 400).output)
        #expect((300...3_000).contains(height))

        let page = try folder.write(text, as: "page.html")
        let picture = folder.url.appendingPathComponent("comparison.png")
        let result = try browser.picture(of: page, width: Self.width, height: height, to: picture)
        #expect(result.console == [])
        let bytes = try Data(contentsOf: picture)
        #expect(bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]))
        // Width and height stand behind the first chunk's name.
        let numbers = [16, 20].map { place in
            bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
        }
        #expect(numbers == [2 * Self.width, 2 * height])
        #expect((20_000..<400_000).contains(bytes.count))
        if let place = settings["COMPARISON_PICTURE"] {
            let file = URL(fileURLWithPath: place)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: file)
        }
    }
}
