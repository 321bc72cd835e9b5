import TestSupport

@Suite("Documentation/Security.md", .timeLimit(.minutes(1)))
struct SecurityPageTests {
    /// The lines under the promises, each with the number of its promise.
    private func named() throws -> [(promise: Int, file: String, test: String)] {
        let lines = try SecurityPage.text.split(separator: "\n")
            .drop { $0 != "## Sixteen promises" }.dropFirst().prefix { !$0.hasPrefix("## ") }
        var promise = 0
        var found: [(Int, String, String)] = []
        for line in lines {
            if let number = line.firstMatch(of: #/^([0-9]+)\. /#) {
                promise = Int(number.1) ?? 0
            } else if let entry = line.wholeMatch(of: #/^ +- `([A-Za-z]+)`: (.+)$/#) {
                found.append((promise, String(entry.1), String(entry.2)))
            }
        }
        return found
    }

    private func testFiles() -> [String: URL] {
        let folder = SecurityPage.root.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var found: [String: URL] = [:]
        while let file = files?.nextObject() as? URL {
            if file.pathExtension == "swift" {
                found[file.deletingPathExtension().lastPathComponent] = file
            }
        }
        return found
    }

    @Test func `each of sixteen promises names a test`() throws {
        #expect(try Set(named().map(\.promise)) == Set(1...16))
    }

    @Test func `every test that is named exists`() throws {
        let files = testFiles()
        for (promise, name, test) in try named() {
            let file = try #require(files[name], "promise \(promise): no file \(name).swift")
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(
                text.contains("`\(test)`("),
                "promise \(promise): \(name) has no test \(test)")
        }
    }

    @Test func `every public setting of a policy is on the page`() throws {
        let page = try SecurityPage.text
        for name in [
            "allowInvalidCertificates", "validatesDomainName", "anchorCertificates",
            "certificateRevocationLists", "verificationTime", "explain(_:forDomain:)", "check()",
            "pinning(_:to:)", "certificates(in:)",
        ] {
            #expect(page.contains(name), "\(name)")
        }
    }
}
