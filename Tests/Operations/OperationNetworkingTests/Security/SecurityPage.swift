import TestSupport

/// Documentation/Security.md, whose generated parts the tests compare, and write when the
/// environment has UPDATE_SECURITY_PAGE.
enum SecurityPage {
    static let root = packageFolder
    private static let place = root.appendingPathComponent("Documentation/Security.md")

    static var text: String {
        get throws { try String(contentsOf: place, encoding: .utf8) }
    }

    /// The part between its two marks is this text.
    static func expect(_ part: String, at name: String) throws {
        let page = try text
        let start = try #require(page.range(of: "<!-- \(name): written by the tests -->\n"))
        let end = try #require(page.range(of: "<!-- \(name): end -->"))
        let written = start.upperBound..<end.lowerBound
        if ProcessInfo.processInfo.environment["UPDATE_SECURITY_PAGE"] != nil {
            try page.replacingCharacters(in: written, with: part + "\n")
                .write(to: place, atomically: true, encoding: .utf8)
        } else {
            #expect(
                page[written] == part + "\n",
                "Run: UPDATE_SECURITY_PAGE=1 swift test --filter TruthTableTests")
        }
    }
}
