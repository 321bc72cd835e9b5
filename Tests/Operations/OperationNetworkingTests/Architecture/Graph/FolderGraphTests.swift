import TestSupport

@Suite("Which folder uses which", .timeLimit(.minutes(1)))
struct FolderGraphTests {
    /// The arrows between the folders of these sources, as "A -> B".
    private func arrows(_ sources: KeyValuePairs<String, String>) -> [String] {
        let graph = graph(sources)
        return graph.folders.keys.sorted().flatMap { folder in
            graph.targets(of: folder).map { "\(folder) -> \($0)" }
        }
    }

    private func graph(_ sources: KeyValuePairs<String, String>) -> FolderGraph {
        FolderGraph(
            module: "M",
            sources: sources.map { path, text in
                ModuleIndex.Source(
                    path: path, facts: SourceParser.facts(of: SourceToken.all(in: text)))
            })
    }

    @Test
    func `a type that is named is used`() {
        #expect(
            arrows(["A/Low.swift": "struct Low {}", "B/High.swift": "let low = Low()"]) == [
                "B -> A"
            ])
    }

    @Test(
        arguments: [
            "func f(_ low: Low) {}", "func f() -> [Low]? { nil }", "extension Low {}",
            "struct High: Low {}", "let f: (Low) -> Void = { _ in }", "let low = M.Low.self",
            "func f<T: Low>(_ t: T) {}", "@Low var x = 1", "let text = \"a \\(Low()) b\"",
            "typealias T = Set<Low>", "enum E { case low(Low) }", "let x = y as? Low",
        ])
    func `a type is used wherever its name can stand`(source: String) {
        let expected = source.hasPrefix("@") ? [] : ["B -> A"]
        #expect(arrows(["A/Low.swift": "class Low {}", "B/High.swift": source]) == expected)
    }

    @Test
    func `an inner name that is an alias of the outer one means the outer one`() {
        let source = "struct High { typealias Low = M.Low; func f() { Low.make() } }"
        #expect(
            arrows(["A/Low.swift": "struct Low { static func make() {} }", "B/High.swift": source])
                == ["B -> A"])
    }

    @Test(
        arguments: [
            "// Low", "/* Low /* Low */ Low */", "let text = \"Low\"", "let text = #\"\\(Low)\"#",
            "let text = \"\"\"\n    Low\n    \"\"\"", "func f(Low: Int) { _ = Low }",
            "struct High { struct Low {}; let low = Low() }", "func f<Low>(_ low: Low) {}",
            "let x = Other.Low()", "f(Low: 1)", "private struct Low {}; let low = Low()",
        ])
    func `what only looks like a use is none`(source: String) {
        #expect(arrows(["A/Low.swift": "struct Low {}", "B/High.swift": source]) == [])
    }

    @Test
    func `a nested type is used by its whole name, and by its own inside its type`() {
        let low = "struct Outer {}\nextension Outer { enum Inner { case one } }"
        #expect(
            arrows([
                "A/Low.swift": low, "B/Whole.swift": "let inner = Outer.Inner.one",
                "C/Own.swift": "extension Outer { func f(_ inner: Inner) {} }",
                "D/Other.swift": "struct Inner {}\nlet inner = Inner()",
            ]) == ["B -> A", "C -> A"])
    }

    @Test
    func `a member of an extension belongs to the extension's folder, not to its type's`() {
        #expect(
            arrows([
                "A/Type.swift": "struct Type { static let shared = Type() }",
                "B/More.swift": "extension Type { func more() {} }",
                "C/Use.swift": "func f(_ type: Type) { type.more() }",
                "D/Use.swift": "func f() { let type = Type.shared; type.more() }",
            ]) == ["B -> A", "C -> A", "C -> B", "D -> A", "D -> B"])
    }

    @Test
    func `a member of an extension of another module's type is found by its name and labels`() {
        #expect(
            arrows([
                "A/URL.swift": "extension URL { func origin(of port: Int) -> Int { 1 } }",
                "B/Use.swift": "func f() { g().origin(of: 80) }",
                "C/Other.swift": "func f() { g().origin(for: 80) }",
            ]) == ["B -> A"])
    }

    @Test
    func `a call with other labels, a local name and a private name are not the member`() {
        let low = "struct Low { func run(fast: Bool) {}; private func hide() {} }"
        #expect(
            arrows([
                "A/Low.swift": low, "B/One.swift": "func f() { g().run(slow: true) }",
                "B/Two.swift": "func f(hide: Int) { _ = hide }",
                "B/Three.swift": "extension High { func f() { run(fast: true) } }",
            ]) == [])
    }

    @Test
    func `inherited members and those of protocols are found`() {
        #expect(
            arrows([
                "A/Base.swift": "class Base { func run() {} }\nprotocol P {}",
                "B/P.swift": "extension P { func walk() {} }",
                "C/Derived.swift": "final class Derived: Base, P {}",
                "D/Use.swift": "func f(_ d: Derived) { d.run(); d.walk() }",
            ]) == ["B -> A", "C -> A", "D -> A", "D -> B", "D -> C"])
    }

    @Test
    func `a free function and a global value are used`() {
        let low = "func low() {}\nlet limit = 3\nprivate let hidden = 1"
        #expect(
            arrows([
                "A/Low.swift": low, "B/Use.swift": "func f() { low() }",
                "C/Use.swift": "let x = limit", "D/Use.swift": "let x = hidden",
            ]) == ["B -> A", "C -> A"])
    }

    @Test
    func `folders that can reach each other are one circle`() {
        let graph = graph([
            "A/A.swift": "struct A { var b: B? }", "B/B.swift": "struct B { func c(_ c: C) {} }",
            "C/C.swift": "struct C {}\nextension A { func c() {} }",
            "D/D.swift": "struct D { var a: A }",
        ])
        #expect(graph.cycles == [["A", "B", "C"]])
        #expect(graph.without(["M/C -> A"]).cycles == [])
        #expect(graph.uses("C", "A").map(\.text) == ["    C/C.swift:2 uses A of A/A.swift"])
        #expect(graph.text.hasPrefix("M\n  A   1 files  -> B\n"))
    }

    @Test
    func `words, texts and comments are told apart`() {
        let text = """
            let a = 1 // Operation
            f("http://x \\" try! \\(b) ")  /* c */
            #"\\(d) \\#(e)"#
            """
        let words = SourceToken.all(in: text).filter(\.isWord)
        #expect(words.map(\.text) == ["let", "a", "1", "f", "b", "e"])
        #expect(words.map(\.line) == [1, 1, 1, 2, 2, 3])
    }
}
