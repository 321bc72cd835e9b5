import TestSupport

@Suite("Which folder uses which", .timeLimit(.minutes(1)))
struct FolderGraphTests {
    /// The arrows between the folders of these sources, as "A -> B".
    private func arrows(_ sources: KeyValuePairs<String, String>) -> [String] {
        let files = sources.map { PackageSources.File(path: "M/" + $0, text: $1) }
        let graph = FolderGraph(module: "M", files: files, common: ["common"])
        return graph.folders.keys.sorted().flatMap { folder in
            graph.targets(of: folder).map { "\(folder) -> \($0)" }
        }
    }

    @Test(
        arguments: [
            "let low = Low()", "func f(_ low: Low) {}", "func f() -> [Low]? { nil }",
            "extension Low {}", "struct High: Low {}", "let f: (Low) -> Void = { _ in }",
            "let low = M.Low.self", "func f<T: Low>(_ t: T) {}", "let text = \"a \\(Low()) b\"",
            "typealias T = Set<Low>", "enum E { case low(Low) }", "let x = y as? Low",
            "let x: [Low: Int]", "lower()",
            "struct High {\n    typealias Low = M.Low\n}", "let inner = Low.Inner.one",
            "let text = #\"\\#(f(\")\", Low()))\"#", "f(low.added)",
        ])
    func `a type, what it has inside and a function are used wherever the name can stand`(
        source: String
    ) {
        let low = """
            public class Low {}
            extension Low { enum Inner { case one } }
            extension Other {
                var added: Int { 1 }
            }
            func lower() {}
            """
        #expect(arrows(["A/Low.swift": low, "B/High.swift": source]) == ["B -> A"])
    }

    @Test(
        arguments: [
            "// Low", "/* Low /* Low */ Low */", "let text = \"Low\"", "let text = #\"\\(Low)\"#",
            "let text = \"\"\"\n    Low \\\"\"\"\n    \"\"\"",
            "struct High {\n    struct Low {}\n    let low = Low()\n}", "let x = Other.Low()",
            "f(x, Low: 1)", "private struct Low {}\nlet low = Low()", "let x = y.common",
            "let added = 1", "let x = y.hidden", "let x = y.ordinary",
        ])
    func `what only looks like a use is none`(source: String) {
        let low = """
            struct Low {
                let ordinary = 1
            }
            extension Other {
                var added: Int { 1 }
                var common: Int { 1 }
                private var hidden: Int { 1 }
            }
            """
        #expect(arrows(["A/Low.swift": low, "B/High.swift": source]) == [])
    }

    @Test
    func `a member of an extension belongs to the extension's folder, not to its type's`() {
        #expect(
            arrows([
                "A/Type.swift": "struct Type {\n    func own() {}\n}",
                "B/More.swift": "extension Type {\n    func more() {}\n}",
                "C/Use.swift": "func f(_ type: Type) { type.more() }",
                "D/Use.swift": "func f() { make().more() }",
                "E/Use.swift": "func f() { make().own() }",
            ]) == ["B -> A", "C -> A", "C -> B", "D -> B"])
    }

    @Test
    func `a name that two folders declare leads to neither`() {
        #expect(
            arrows([
                "A/Low.swift": "struct Low {}", "B/Low.swift": "struct Low {}",
                "C/High.swift": "let low = Low()",
            ]) == [])
    }

    @Test
    func `words, texts and comments are told apart`() {
        let text = """
            let a = 1 // Operation
            f("http://x \\" try! \\(b) ")  /* c */
            #"\\(d) \\#(e)"#
            """
        let words = SourceText(text).words
        #expect(words.map(\.text) == ["let", "a", "1", "f", "b", "e"])
        #expect(words.map(\.line) == [1, 1, 1, 2, 2, 3])
    }

    @Test
    func `a function is declared and called by its labels`() {
        let declared = SourceText("func go(_ a: Int, to b: Int) {}\nfunc back(at c: Int) {}")
        #expect(declared.declares("go") && declared.declares("go(_:to:)"))
        #expect(!declared.declares("go(_:at:)") && !declared.uses("go"))
        let called = SourceText("go(1, to: 2)")
        #expect(called.uses("go(_:to:)") && !called.uses("go(_:at:)") && !called.declares("go"))
    }
}
