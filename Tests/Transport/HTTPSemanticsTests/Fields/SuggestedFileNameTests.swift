import TestSupport

@testable import HTTPSemantics

@Suite("Names that a server suggests for files", .timeLimit(.minutes(1)))
struct SuggestedFileNameTests {
    private static let address = "http://example.org/files/report.pdf?name=x.exe"

    private func response(_ disposition: String?, _ address: String = address) throws -> URLResponse
    {
        let url = try #require(URL(string: address))
        return try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: disposition.map { ["Content-Disposition": $0] }))
    }

    @Test(
        arguments: [
            ("\"../../../../tmp/pwned\"", "pwned"), ("\"/etc/cron.d/pwned\"", "pwned"),
            ("\"..\\\\..\\\\pwned.exe\"", "pwned.exe"), ("\"C:\\dir\\file.txt\"", "file.txt"),
            ("\"a/\"", "a"), ("\"..\"", "report.pdf"), ("\".\"", "report.pdf"),
            ("\"/\"", "report.pdf"), ("\"\"", "report.pdf"), ("\" . . \"", "report.pdf"),
            ("\".bashrc\"", "bashrc"), ("\" .bashrc\"", "bashrc"), ("\".\u{301}x\"", "\u{301}x"),
            ("\"a.txt. . \"", "a.txt"), ("\"x/\u{301}y\"", "\u{301}y"),
            ("\"safe.txt\u{0}.sh\"", "safe.txt_.sh"), ("\"a\u{1B}[2Jb\"", "a_[2Jb"),
            ("\"gpj.\u{202E}txt.exe\"", "gpj._txt.exe"), ("\"\u{2066}a\u{2069}\"", "_a_"),
            ("\"a\u{2028}b\u{85}c\"", "a_b_c"), ("\"a%0d%0ab\"", "a%0d%0ab"),
            ("\"\u{1F468}\u{200D}\u{1F469}.png\"", "\u{1F468}\u{200D}\u{1F469}.png"),
        ])
    func `a name stays in its folder, is not hidden, and shows what it is`(
        value: String, name: String
    ) throws {
        let seen = try response("attachment; filename=" + value).safeSuggestedFilename
        #expect(Array(seen.unicodeScalars) == Array(name.unicodeScalars))
    }

    @Test(
        arguments: [
            ("attachment; filename=plain.txt", "plain.txt"),
            ("inline; FileName = \"a b.txt\" ; x=y", "a b.txt"),
            ("attachment; x=\";filename=no\"; filename=\"a;\\\"b.txt\"", "a;\"b.txt"),
            ("attachment; filename=one; filename=two", "one"),
            ("attachment; filename=a.txt; filename*=UTF-8''%e2%82%ac%20rates.txt", "€ rates.txt"),
            ("attachment; filename*=utf-8'en'na%C3%AFve.txt; filename=b", "na\u{EF}ve.txt"),
            ("attachment; filename*=iso-8859-1''na%EFve.txt", "na\u{EF}ve.txt"),
            ("attachment; filename*=UTF-8''..%2F..%2Fpwned", "pwned"),
            ("attachment; filename*=UTF-8''%2E%2E; filename=b.txt", "b.txt"),
            ("attachment; filename*=UTF-8''%FF; filename=b.txt", "b.txt"),
            ("attachment; filename*=UTF-8''%4; filename=b.txt", "b.txt"),
            ("attachment; filename*=iso-8859-1''%+1; filename=b.txt", "b.txt"),
            ("attachment; filename*=koi8-r''%C1; filename=b.txt", "b.txt"),
            ("attachment; filename*=naked.txt; filename=b.txt", "b.txt"),
            ("attachment; filename=\"unclosed", "unclosed"), ("attachment", "report.pdf"),
            ("", "report.pdf"), (";;=;\"", "report.pdf"),
            ("attachment; filename*=''", "report.pdf"),
        ])
    func `the field is read as RFC 6266 and 8187 say, and what is broken is passed over`(
        field: String, name: String
    ) throws {
        #expect(try response(field).safeSuggestedFilename == name)
    }

    @Test(
        arguments: [
            ("http://a.b/x/%E2%82%AC.txt?q#f", "€.txt"), ("http://a.b/x/..%2F..%2Fy", "y"),
            ("http://a.b/x/%2Ehidden", "hidden"), ("http://a.b/x/", "x"),
            ("http://a.b", "download"),
            ("http://a.b/%2E%2E", "download"), ("http://a.b/%FF", "%FF"),
        ])
    func `without a name in the answer the URL's counts, decoded, and then a word`(
        address: String, name: String
    ) throws {
        #expect(try response(nil, address).safeSuggestedFilename == name)
    }

    @Test
    func `a long name is cut to 255 bytes, between characters, and keeps its extension`() throws {
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
        for unit in ["a", "\u{EF}", "\u{20AC}", family, "e\u{301}"] {
            for length in 100...400 {
                let suggestion = String(repeating: unit, count: length) + ".txt"
                let field = "attachment; filename=\"\(suggestion)\""
                let name = try response(field).safeSuggestedFilename
                #expect(name.utf8.count <= 255)
                #expect(name.utf8.count > 255 - unit.utf8.count || name == suggestion)
                #expect(name.hasSuffix(".txt"))
                #expect(name.dropLast(4).allSatisfy { $0 == Character(unit) })
            }
        }
        // An extension that is none, a cut that ends in a dot, a character larger than all.
        let none = "a." + String(repeating: "b", count: 500)
        #expect(try response("x; filename=\(none)").safeSuggestedFilename.utf8.count == 255)
        let dots = String(repeating: "a", count: 254) + "." + String(repeating: "b", count: 50)
        let cut = try response("x; filename=\(dots)").safeSuggestedFilename
        #expect(cut == String(repeating: "a", count: 254))
        let marks = "a" + String(repeating: "\u{301}", count: 500) + ".txt"
        let marked = try response("x; filename=\(marks)").safeSuggestedFilename
        #expect((250...255).contains(marked.utf8.count))
        #expect(marked.hasPrefix("a\u{301}") || marked.unicodeScalars.first == "a")
        #expect(marked.hasSuffix(".txt"))
    }

    @Test
    func `no mixture of scalars makes a name that leaves its folder or hides`() throws {
        let scalars: [Unicode.Scalar] = [
            ".", "/", "\\", " ", "%", "\"", ";", "'", "=", "a", "\u{0}", "\n", "\u{7F}", "\u{301}",
            "\u{202E}", "\u{1F600}", "\u{3000}", "\u{A0}", "\u{FEFF}", "*", "\u{200D}",
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                text.append(scalars.randomElement(using: &generator) ?? "a")
            }
            for field in [
                "x; filename=\(text)", "x; filename=\"\(text)\"", "x; filename*=utf-8''\(text)",
            ] {
                let name = try response(field, "http://a.b/").safeSuggestedFilename
                let isBad = name.unicodeScalars.contains {
                    "/\\\u{202E}\u{FEFF}".unicodeScalars.contains($0) || $0.value < 32
                }
                let edges = [name.unicodeScalars.first, name.unicodeScalars.last]
                let isEdgeBad = edges.contains { $0 == nil || $0 == "." || $0 == " " }
                #expect(!isBad && !isEdgeBad && name.utf8.count <= 255, "\(field.debugDescription)")
            }
        }
    }

    // MARK: Files

    private let files = TemporaryFolder()
    private var folder: URL { files.url }

    private func move(_ text: String, _ response: URLResponse, into folder: URL) throws -> URL {
        let part = folder.appendingPathComponent(".part-" + UUID().uuidString)
        try Data(text.utf8).write(to: part)
        let file = try response.moveDownload(at: part, into: folder)
        #expect(!FileManager.default.fileExists(atPath: part.path))
        #expect(try Data(contentsOf: file) == Data(text.utf8))
        return file
    }

    @Test
    func `a file that is there stays as it is, and the new one has a number before its extension`()
        throws
    {
        let first = folder.appendingPathComponent("a.txt")
        try Data("mine".utf8).write(to: first)
        // A link to nowhere is not followed.
        let link = folder.appendingPathComponent("a-2.txt")
        let elsewhere = folder.appendingPathComponent("elsewhere").path
        try FileManager.default.createSymbolicLink(
            atPath: link.path, withDestinationPath: elsewhere)
        let answer = try response("attachment; filename=a.txt")
        let files = try ["one", "two", "three"].map { try move($0, answer, into: folder) }
        #expect(files.map(\.lastPathComponent) == ["a-3.txt", "a-4.txt", "a-5.txt"])
        #expect(try Data(contentsOf: first) == Data("mine".utf8))
        #expect(!FileManager.default.fileExists(atPath: elsewhere))
    }

    @Test
    func `a long name that is taken stays within 255 bytes`() throws {
        let answer = try response(
            "x; filename=" + String(repeating: "\u{20AC}", count: 300) + ".txt")
        let files = try (0..<12).map { _ in try move("x", answer, into: folder) }
        #expect(Set(files).count == 12)
        #expect(files.allSatisfy { $0.lastPathComponent.utf8.count <= 255 })
        #expect(files.last?.lastPathComponent.hasSuffix("\u{20AC}-12.txt") == true)
    }

    @Test
    func `downloads that end at the same moment get a file each`() throws {
        let answer = try response("attachment; filename=same.bin")
        let made = Locked<[URL]>([])
        DispatchQueue.concurrentPerform(iterations: 64) { number in
            if let file = try? move("\(number)", answer, into: folder) {
                made.withLock { $0.append(file) }
            }
        }
        #expect(Set(made.withLock { $0 }).count == 64)
    }

    @Test
    func `what cannot be stored is an error that says why, and leaves no file behind`() throws {
        let part = folder.appendingPathComponent("part")
        let missing = folder.appendingPathComponent("missing")
        let noFolder = #expect(throws: URLError.self) {
            try response(nil).moveDownload(at: part, into: missing)
        }
        #expect(noFolder?.code == .cannotCreateFile)
        let noPart = #expect(throws: URLError.self) {
            try response(nil).moveDownload(at: part, into: folder)
        }
        #expect(noPart?.code == .cannotMoveFile)
        for error in [noFolder, noPart] {
            let reason = error?.underlyingError as? POSIXError
            #expect(reason?.code == .ENOENT)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.isEmpty)
    }
}
