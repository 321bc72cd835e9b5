import TestSupport

@Suite("The rules of the house", .timeLimit(.minutes(5)))
struct HouseRuleTests {
    /// The most types that are Sendable without the compiler's check: 60 is the aim. A class that
    /// programs may inherit from, of which Alamofire has nine, cannot have it.
    private static let uncheckedLimit = 79
    private static let lineLimit = 400
    /// Of a hundred files so many have fewer than 180 lines. Small files of one concept are merged.
    private static let shortFiles = 75

    /// The lines that have any of these, also where it goes on in the next line.
    private func lines(of marks: String..., in file: PackageSources.File) -> [Int] {
        let code = file.text.code
        return code.indices.filter { index in
            let next = code[(index + 1)...].first?.drop { $0 == " " } ?? ""
            let line = code[index].hasSuffix("(") ? code[index] + next : code[index]
            return marks.contains(where: line.contains)
        }.map { $0 + 1 }
    }

    @Test
    func `each unchecked Sendable says why, at once, and there are few`() {
        var count = 0
        for file in PackageSources.all {
            for line in lines(of: "@unchecked Sendable", in: file) {
                count += 1
                let near = file.lines[(line - 1)...].prefix(5)
                let says = near.contains { $0.contains("@unchecked because") }
                #expect(says, "\(file.path):\(line)")
            }
        }
        print("@unchecked Sendable: \(count)")
        #expect(count <= Self.uncheckedLimit)
    }

    @Test
    func `what the compiler is not to check says why, in its line or the one before`() {
        for file in PackageSources.all {
            for line in lines(of: "(unsafe)", "unsafeBitCast(", in: file) {
                let near = file.lines[..<line].suffix(2)
                let says = near.contains { $0.contains("unsafe") && $0.contains(" because ") }
                #expect(says, "\(file.path):\(line)")
            }
        }
    }

    @Test
    func `each class with private state says from where it may be called`() {
        for file in PackageSources.all {
            for type in file.text.declarations where type.keyword == "class" {
                let margin = String(repeating: " ", count: type.indent)
                let body = file.text.code[type.line...].prefix { !$0.hasPrefix(margin + "}") }
                let state = body.filter { $0.hasPrefix(margin + "    ") }.map {
                    $0.dropFirst(margin.count + 4)
                }
                let hasState = state.contains {
                    !$0.hasPrefix(" ") && " \($0)".contains(" private ") && $0.contains(" var ")
                }
                guard hasState else { continue }
                let comment = file.lines[..<(type.line - 1)].reversed().prefix {
                    $0.trimmingCharacters(in: .whitespaces).hasPrefix("//")
                        || $0.trimmingCharacters(in: .whitespaces).hasPrefix("@")
                }
                let says = comment.contains { $0.contains("## Concurrency") }
                #expect(says, "\(file.path):\(type.line)")
            }
        }
    }

    /// Without the import Swift takes Foundation's default there, which is nil.
    @Test
    func `who reads errorDescription imports the module of NumberedError`() {
        for file in PackageSources.all where file.module != "HTTPSemantics" {
            guard !lines(of: ".errorDescription", in: file).isEmpty else { continue }
            #expect(file.imports.contains("HTTPSemantics"), "\(file.path)")
        }
    }

    @Test
    func `nothing is forced, and nothing gives up`() {
        for file in PackageSources.all {
            let bad = lines(of: "try!", "fatalError(", in: file)
            #expect(bad.isEmpty, "\(file.path):\(bad)")
        }
    }

    /// Files that make a URL of a text that is one already, with the reason.
    private static let ownTexts = [
        "HTTPSemantics/Fields/WrittenURL.swift": "escapes what is illegal before",
        "HTTPSemantics/Hosts/CanonicalHost.swift": "only for a host's A-labels",
        "CurlConnection/Streams/StreamFile.swift": "what Foundation says of a stream",
        "CurlConnection/Proxies/Proxy.swift": "behind WrittenURL.escaped",
    ]
    /// Modules and folders that know no text of others.
    private static let ownPlaces = ["LoopbackServer/", "EraLessons/", "Lessons/", "eras/Compare/"]

    @Test
    func `only WrittenURL makes a URL of what a person or a server wrote`() {
        for file in PackageSources.all where Self.ownTexts[file.path] == nil {
            guard !Self.ownPlaces.contains(where: file.path.hasPrefix) else { continue }
            for line in lines(of: "URL(string", "URLComponents(string", in: file) {
                let text = file.lines[line - 1]
                // A text that is refused where it needs an escape, and one that stands in the source.
                let isOwn =
                    text.contains("encodingInvalidCharacters: false")
                    || text.contains(#"URL(string: "http"#)
                #expect(isOwn, "\(file.path):\(line) makes a URL without WrittenURL")
            }
        }
        for path in Self.ownTexts.keys {
            #expect(PackageSources.all.contains { $0.path == path }, "\(path)")
        }
    }

    @Test
    func `files are short: the longest has at most 400 lines, three of four have fewer than 180`() {
        let counts = PackageSources.all.map { ($0.path, $0.lines.count - 1) }
        for (path, count) in counts { #expect(count <= Self.lineLimit, "\(path)") }
        let short = counts.count { $0.1 < 180 }
        let longest = counts.map(\.1).max() ?? 0
        print("\(counts.count) files, \(short) of them short; the longest has \(longest) lines")
        #expect(short * 100 >= counts.count * Self.shortFiles)
    }

    @Test
    func `no type is a place for leftovers`() {
        let bad = ["Utils", "Util", "Utilities", "Helper", "Helpers", "Common", "Core"]
        for file in PackageSources.all {
            for type in file.text.declarations where type.isType {
                #expect(!bad.contains { type.name.hasSuffix($0) }, "\(file.path): \(type.name)")
            }
        }
    }

    @Test
    func `the sources are read whole`() {
        #expect(PackageSources.all.count > 50)
        let types = PackageSources.all.flatMap(\.text.declarations).filter(\.isType)
        let names = Set(types.filter { !$0.isPrivate && $0.owner == nil }.map(\.name))
        #expect(names.isSuperset(of: ["URLConnection", "Transfer", "CurlCode", "NetworkThread"]))
        #expect(!names.contains("Collector") && !names.contains("Phase"))
    }
}
