import TestSupport

@Suite("What holds a queue, a limit, a thread or a state machine", .timeLimit(.minutes(5)))
struct HoldersTests {
    private static let file = PackageSources.root.appendingPathComponent(
        "Documentation/Architecture.md")
    private static let marks = (
        begin: "<!-- made by HoldersTests -->\n", end: "\n<!-- until here -->"
    )

    private func holders(_ text: String) -> [String] {
        Holders([PackageSources.File(path: "Module/File.swift", text: text)]).rows.map {
            "\($0.type): " + $0.holds.map(\.rawValue).sorted().joined(separator: " ")
        }
    }

    @Test func `each kind is found, with the type at the margin that holds it`() {
        #expect(
            holders(
                """
                /// A comment with DispatchQueue(label: "no").
                final class Queues {
                    struct Inner { let queue = DispatchQueue(label: "disk") }
                }
                struct Table {}
                extension Table {
                    private enum Phase { case idle }
                }
                extension Elsewhere {
                    static let queue = DispatchQueue(label: "of another module's type")
                }
                enum KernelState { case running }
                package struct Limits: ~Copyable {
                    var slots: Limiter<String, Int>
                    func begin() { pthread_create(nil, nil, nil, nil) }
                }
                struct Nothing {}
                """
            ) == ["Limits: limit thread", "Queues: queue", "Table: state"])
    }

    @Test func `Architecture.md lists every one of the library`() throws {
        var page = try String(contentsOf: Self.file, encoding: .utf8)
        let begin = try #require(page.range(of: Self.marks.begin)?.upperBound)
        let end = try #require(page.range(of: Self.marks.end)?.lowerBound)
        let table = Holders.library.table
        if ProcessInfo.processInfo.environment["UPDATE_DOCUMENTATION"] == "1" {
            page.replaceSubrange(begin..<end, with: table)
            try page.write(to: Self.file, atomically: true, encoding: .utf8)
        } else {
            #expect(
                page[begin..<end] == table,
                "UPDATE_DOCUMENTATION=1 swift test --filter HoldersTests writes it anew.")
        }
        #expect(!table.contains("| ? |"), "A type without a first sentence.")
    }
}
