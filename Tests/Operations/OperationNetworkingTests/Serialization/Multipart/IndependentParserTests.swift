import TestSupport

@testable import OperationNetworking

/// Bodies taken apart by programs that know nothing of this package.
@Suite("Bodies and parsers of others", .timeLimit(.minutes(5)))
struct IndependentParserTests {
    private struct Parsed: Decodable, Equatable {
        let name: String
        let file: String?
        /// In base64.
        let body: String
    }

    private static let names = [
        "plain", "with space", "quote\"quote", "line\r\nbreak", "cr\rlf\n", "nul\0nul", "😀日本",
        "back\\slash", "semi;colon", "percent%22", "e\u{301}", "",
    ]

    /// Random parts, with the boundary's letters among their bytes.
    private func request(seed: UInt64) throws -> (URLRequest, [Parsed]) {
        var random = SeededNumbers(seed: seed)
        var wanted: [Parsed] = []
        let request = try multipartRequest { form in
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let name = Self.names.randomElement(using: &random) ?? ""
                let file =
                    Bool.random(using: &random) ? Self.names.randomElement(using: &random) : nil
                var bytes = random.bytes(Int.random(in: 0...3_000, using: &random))
                // Some parsers take a field for text and replace what is none.
                if file == nil { bytes = Data(bytes.map { $0 & 0x7F }) }
                if let file {
                    form.appendPart(
                        fileData: bytes, name: name, fileName: file,
                        mimeType: "application/octet-stream")
                } else {
                    form.appendPart(formData: bytes, name: name)
                }
                wanted.append(
                    Parsed(
                        name: escaped(name), file: file.map(escaped),
                        body: bytes.base64EncodedString()))
            }
        }
        return (request, wanted)
    }

    private func escaped(_ name: String) -> String {
        String(
            decoding: name.utf8.flatMap { byte -> [UInt8] in
                switch byte {
                case UInt8(ascii: "\""): Array("%22".utf8)
                case 13: Array("%0D".utf8)
                case 10: Array("%0A".utf8)
                default: [byte]
                }
            }, as: UTF8.self)
    }

    @Test(arguments: ["email", "werkzeug"])
    func `Python's parsers find exactly the parts given`(parser: String) throws {
        guard try run(["-c", Self.probe(parser)], Data()) != nil else {
            print("skipped: python3 without the module \(parser)")
            return
        }
        let folder = TemporaryFolder()
        var all: [[Parsed]] = []
        var lines: [String] = []
        for seed in UInt64(1)...40 {
            let (request, wanted) = try request(seed: seed)
            let stream = try #require(request.httpBodyStream)
            let size = [1, 7, 64, 65_536][Int(seed) % 4]
            let file = try folder.write("\(seed)", readAll(stream, sizes: [size]).bytes)
            let type = try #require(request.value(forHTTPHeaderField: "Content-Type"))
            lines.append("\(file.path)\t\(type)\n")
            all.append(wanted)
        }
        let output = try #require(
            try run(["-c", Self.program(parser)], Data(lines.joined().utf8)))
        let parsed = try JSONDecoder().decode([[Parsed]].self, from: output)
        #expect(parsed.count == all.count)
        for (index, (one, other)) in zip(parsed, all).enumerated() {
            let isEqual = parser == "email" ? one == other : sorted(one) == sorted(unescaped(other))
            #expect(isEqual, "seed \(index + 1)")
        }
    }

    /// The second parser takes a quote's escape back, and no other.
    private func unescaped(_ parts: [Parsed]) -> [Parsed] {
        func quoted(_ name: String) -> String {
            name.replacingOccurrences(of: "%22", with: "\"", options: .literal)
        }
        return parts.map { Parsed(name: quoted($0.name), file: $0.file.map(quoted), body: $0.body) }
    }

    /// It also gives fields and files apart.
    private func sorted(_ parts: [Parsed]) -> [Parsed] {
        parts.filter { $0.file == nil }.sorted(by: isBefore)
            + parts.filter { $0.file != nil }.sorted(by: isBefore)
    }

    private func isBefore(_ one: Parsed, _ other: Parsed) -> Bool {
        (one.name, one.file ?? "", one.body) < (other.name, other.file ?? "", other.body)
    }

    // MARK: Python

    /// What the program printed; nil if it did not succeed.
    private func run(_ arguments: [String], _ input: Data) throws -> Data? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let stdin = Pipe()
        let stdout = Pipe()
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = FileHandle.nullDevice
        try process.run()
        stdin.fileHandleForWriting.write(input)
        try stdin.fileHandleForWriting.close()
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? output : nil
    }

    private static func probe(_ parser: String) -> String {
        parser == "email" ? "import email.parser" : "import werkzeug.formparser"
    }

    private static func program(_ parser: String) -> String {
        """
        import sys, json, base64, io
        def b64(data): return base64.b64encode(data).decode()
        \(parser == "email" ? byEmail : byWerkzeug)
        result = []
        for line in sys.stdin.buffer.read().decode().splitlines():
            path, kind = line.split("\\t")
            result.append(parse(open(path, "rb").read(), kind))
        sys.stdout.write(json.dumps(result))
        """
    }

    /// The header is read as RFC 7578 says: UTF-8, and no escape but the percent signs.
    private static let byEmail = """
        import email.parser, email.policy, re
        pattern = re.compile('form-data; name="([^"]*)"(?:; filename="([^"]*)")?', re.S)
        def parse(body, kind):
            head = ("MIME-Version: 1.0\\r\\nContent-Type: " + kind + "\\r\\n\\r\\n").encode()
            message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
            parts = []
            assert not message.defects and not message.preamble and not message.epilogue
            for part in message.get_payload():
                assert not part.defects
                raw = dict(part.raw_items())
                text = raw["Content-Disposition"].encode("utf-8", "surrogateescape").decode()
                match = pattern.fullmatch(text)
                assert match and len(raw) == (1 if match.group(2) is None else 2)
                data = part.get_payload(decode=True)
                parts.append({"name": match.group(1), "file": match.group(2), "body": b64(data)})
            return parts
        """

    private static let byWerkzeug = """
        from werkzeug.formparser import parse_form_data
        def parse(body, kind):
            environment = {"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body)),
                           "CONTENT_TYPE": kind, "REQUEST_METHOD": "POST"}
            _, form, files = parse_form_data(environment, silent=False)
            parts = [{"name": n, "file": None, "body": b64(v.encode("utf-8", "surrogateescape"))}
                     for n, v in form.items(multi=True)]
            parts += [{"name": n, "file": f.filename, "body": b64(f.read())}
                      for n, f in files.items(multi=True)]
            return parts
        """
}
