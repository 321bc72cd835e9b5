import TestSupport

@Suite("One request through the files", .timeLimit(.minutes(5)))
struct RequestWalkTests {
    private static let file = PackageSources.root.appendingPathComponent(
        "Documentation/Architecture.md")
    private static let document = (try? String(contentsOf: file, encoding: .utf8)) ?? ""

    private func faults(of document: String) -> [String] {
        RequestWalk(document, PackageSources.all).faults
    }

    @Test("Each file of the list calls the next, and no file is opened twice")
    func list() {
        let walk = RequestWalk(Self.document, PackageSources.all)
        #expect(walk.steps.first?.file == "Manager/HTTPRequestOperationManager")
        #expect(walk.steps.count > 15)
        #expect(walk.steps.map(\.number) == (1...walk.steps.count).map(String.init))
        for fault in walk.faults { Issue.record("\(fault)") }
    }

    @Test("An event of RequestEra makes four hops between types, of which it meets seven at most")
    func event() {
        let walk = RequestWalk(Self.document, PackageSources.all, list: "event")
        for fault in walk.faults { Issue.record("\(fault)") }
        func type(_ file: String) -> Substring {
            (file.split(separator: "/").last ?? "").prefix { $0 != "+" }
        }
        let way = walk.steps.map { type($0.file) }
        #expect(way.count >= 6)
        #expect(zip(way, way.dropFirst()).count { $0 != $1 } <= 4)
        let asked = walk.steps.flatMap(\.asked).map { type($0) }
        #expect(Set(way + asked).count <= 7)
    }

    @Test(
        "What is wrong in the list is seen",
        arguments: [
            ("`Manager/OperationManager`", "`Manager/ManagerSettings`"),
            ("`Load/Transfer` |", "`Load/TransferTLS` |"),
            ("`Manager/OperationManager`", "`Manager/NoSuchFile`"),
            ("`Operations/OperationMachine`", "`Curl/CurlGlobal`"),
            ("`Operations/OperationMachine`", "`Body/Resumption`"),
            ("`received(_:of:)`", "`transfer(_:didEndWith:)`"),
            ("by `addOperation`", "by `addBarrierBlock`"),
            ("`begin`, made in 5", "`begin`, made in 2"),
            ("`begin`, made in 5", "`begin`, made in 50"),
            ("`succeed` of 9", "`succeed` of 10"), ("| `addOnce` |", "| |"),
            ("| `addOnce` |", "| addOnce |"),
        ])
    func faults(_ right: String, _ wrong: String) {
        #expect(Self.document.contains(right))
        #expect(!faults(of: Self.document.replacing(right, with: wrong)).isEmpty)
    }

    @Test("Each source that the pages of the architecture name is there")
    func names() throws {
        let paths = PackageSources.all.map { "/" + $0.path }
        var count = 0
        for page in ["Architecture.md", "Concurrency.md"] {
            let file = LayerTable.file.deletingLastPathComponent().appendingPathComponent(page)
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /`([A-Za-z+\/]+\.swift)`/) {
                count += 1
                #expect(paths.contains { $0.hasSuffix("/" + match.1) }, "\(page): \(match.1)")
            }
        }
        #expect(count > 30)
    }

    @Test("Each type in Concurrency.md's table of locks is declared in the sources")
    func types() throws {
        let file = LayerTable.file.deletingLastPathComponent()
            .appendingPathComponent("Concurrency.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let declared = Set(
            PackageSources.all.flatMap(\.lines).flatMap { line in
                line.matches(of: /(?:class|struct|enum|actor|protocol) ([A-Z][A-Za-z0-9]+)/)
                    .map { String($0.1) }
            })
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let names = rows.flatMap { row in
            (row.split(separator: "|").first ?? "").matches(of: /`([A-Z][A-Za-z0-9]+)`/)
                .map { String($0.1) }
        }
        #expect(names.count > 100)
        #expect(names.filter { !declared.contains($0) } == [])
    }
}
