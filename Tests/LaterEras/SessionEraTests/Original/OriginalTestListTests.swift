import TestSupport

@Suite("The list of AFNetworking 4.0.1's tests", .timeLimit(.minutes(1)))
struct OriginalTestListTests {
    private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent()

    @Test func `every test of the session managers is listed, and the rest of the A tests`() {
        var counts: [String: [Int]] = [:]
        for (file, tests) in Dictionary(grouping: OriginalTest.all, by: \.file) {
            counts[file] = [.asItIs, .substitute, .none].map { portability in
                tests.count { $0.portability == portability }
            }
        }
        #expect(
            counts == [
                "AFHTTPSessionManagerTests": [23, 18, 0], "AFURLSessionManagerTests": [6, 10, 16],
                "AFSecurityPolicyTests": [4, 0, 0], "AFHTTPRequestSerializationTests": [16, 0, 0],
                "AFJSONSerializationTests": [12, 4, 0],
                "AFHTTPResponseSerializationTests": [6, 1, 0],
                "AFXMLDocumentResponseSerializerTests": [6, 0, 0],
                "AFXMLParserResponseSerializerTests": [5, 0, 0],
                "AFPropertyListResponseSerializerTests": [4, 1, 0],
                "AFPropertyListRequestSerializerTests": [2, 0, 0],
                "AFCompoundResponseSerializerTests": [2, 1, 0],
            ])
        #expect(OriginalTest.all.count { $0.portability == .asItIs } == 86)
        #expect(Set(OriginalTest.all.map { $0.file + $0.name }).count == OriginalTest.all.count)
    }

    @Test func `every test that is here is a test function of its name`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let text = try files.filter { $0.hasSuffix("Tests.swift") }
            .map { try String(contentsOf: Self.folder.appendingPathComponent($0), encoding: .utf8) }
            .joined()
        for test in OriginalTest.all {
            guard case .here = test.answer else { continue }
            let pattern = try Regex("@Test[^{}]*?\\sfunc \(test.function)\\(")
            let isThere = text.contains(pattern)
            #expect(isThere, "\(test.name): no test \(test.function)()")
        }
    }

    @Test func `every test that answers for an original exists`() throws {
        let files = testFiles()
        for test in OriginalTest.all {
            guard case .shared(let file, let name) = test.answer else { continue }
            // Tests of two modules may be in files of one name.
            let urls = try #require(files[file], "\(test.name): no file \(file).swift")
            let text = try urls.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
            #expect(
                text.contains("`\(name)`("),
                "\(test.name): \(file) has no test \(name)")
        }
    }

    @Test func `what does not exist on Linux says why`() {
        for test in OriginalTest.all where test.portability == .none {
            guard case .not(let reason) = test.answer else {
                Issue.record("\(test.name)")
                continue
            }
            #expect(reason.contains(#/^LX-[0-9]+: /#), "\(test.name)")
        }
    }

    @Test func `Documentation/SessionTests.md shows the list`() throws {
        let place = packageFolder.appendingPathComponent("Documentation/SessionTests.md")
        if ProcessInfo.processInfo.environment["UPDATE_SESSION_TESTS"] != nil {
            try OriginalTest.page.write(to: place, atomically: true, encoding: .utf8)
        }
        #expect(
            try String(contentsOf: place, encoding: .utf8) == OriginalTest.page,
            "Run: UPDATE_SESSION_TESTS=1 swift test --filter OriginalTestListTests")
    }

    private func testFiles() -> [String: [URL]] {
        let tests = packageFolder.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        var found: [String: [URL]] = [:]
        while let file = files?.nextObject() as? URL {
            if file.pathExtension == "swift" {
                found[file.deletingPathExtension().lastPathComponent, default: []].append(file)
            }
        }
        return found
    }
}
