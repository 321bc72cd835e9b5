import Foundation
import Testing

@Suite("The rules of the house", .timeLimit(.minutes(5)))
struct HouseRuleTests {
    @Test("Each unchecked Sendable says why, at once")
    func unchecked() {
        for file in PackageSources.all {
            for (index, line) in file.code.enumerated() where line.contains("@unchecked Sendable") {
                let near = file.lines[index...].prefix(5)
                let says = near.contains { $0.contains("@unchecked because") }
                #expect(says, "\(file.path):\(index + 1)")
            }
        }
    }

    @Test("Each class with private state says from where it may be called")
    func concurrency() {
        for file in PackageSources.all {
            for (index, words) in file.words.enumerated() where isClass(words) {
                guard hasPrivateVariable(file, from: index) else { continue }
                let comment = file.lines[..<index].reversed().prefix {
                    $0.trimmingCharacters(in: .whitespaces).hasPrefix("//")
                        || $0.trimmingCharacters(in: .whitespaces).hasPrefix("@")
                }
                let says = comment.contains { $0.contains("## Concurrency") }
                #expect(says, "\(file.path):\(index + 1)")
            }
        }
    }

    private func isClass(_ words: [String]) -> Bool {
        guard let index = words.firstIndex(of: "class"), index + 1 < words.count else {
            return false
        }
        let before = ["public", "package", "private", "fileprivate", "open", "final"]
        return words[..<index].allSatisfy(before.contains)
            && words[index + 1].first?.isUppercase == true
    }

    /// Looks from a class to the brace that closes it.
    private func hasPrivateVariable(_ file: PackageSources.File, from index: Int) -> Bool {
        let margin = String(file.code[index].prefix { $0 == " " })
        let end = file.code[(index + 1)...].firstIndex(of: margin + "}") ?? file.code.endIndex
        return (index + 1..<end).contains { line in
            let words = file.words[line].filter { !["weak", "lazy", "unowned"].contains($0) }
            return words.prefix(2) == ["private", "var"]
                && file.code[line].hasPrefix(margin + "    private")
        }
    }

    @Test("Nothing is forced, and nothing gives up")
    func noForce() {
        for file in PackageSources.all {
            for (index, line) in file.code.enumerated() {
                let isBad = line.contains("try!") || line.contains("fatalError(")
                #expect(!isBad, "\(file.path):\(index + 1)")
            }
        }
    }

    @Test("No file has more than 400 lines of code")
    func sizes() {
        for file in PackageSources.all {
            #expect(file.codeLineCount <= 400, "\(file.path)")
        }
    }

    @Test("No type is a place for leftovers")
    func typeNames() {
        let bad = ["Utils", "Util", "Utilities", "Helper", "Helpers", "Common", "Core"]
        for file in PackageSources.all {
            for type in file.types {
                #expect(!bad.contains { type.hasSuffix($0) }, "\(file.path): \(type)")
            }
        }
    }

    @Test("Comments and texts are no code to these tests")
    func stripping() {
        #expect(PackageSources.stripped("let a = 1  // Operation") == "let a = 1  ")
        #expect(PackageSources.stripped("f(\"http://x \\\" try!\")") == "f(\"\")")
        #expect(
            PackageSources.stripped(["a", "\"\"\"", "try!", "\"\"\"", "b"]) == [
                "a", "", "", "", "b",
            ])
        #expect(PackageSources.all.count > 50)
        let types = Set(PackageSources.all.flatMap(\.topLevelTypes))
        #expect(types.isSuperset(of: ["URLConnection", "Transfer", "CurlCode", "NetworkThread"]))
        #expect(!types.contains("Collector") && !types.contains("Phase"))
    }
}
