import FoundationXML
import TestSupport

@testable import OperationNetworking

/// RE-12.
@Suite("XML of a response", .timeLimit(.minutes(5)))
struct XMLResponseTests {
    private func document(_ body: Data, _ options: XMLNode.Options = []) -> SerializedResponse {
        XMLDocumentResponseSerializer(options: options)
            .responseObject(for: Responses.http(200, "application/xml"), data: body)
    }

    private func document(_ body: String, _ options: XMLNode.Options = []) -> SerializedResponse {
        document(Data(body.utf8), options)
    }

    private func root(_ result: SerializedResponse) -> XMLElement? {
        (result.object as? XMLDocument)?.rootElement()
    }

    @Test
    func `a document is read, in the encoding that it declares`() throws {
        let plain = root(document("<?xml version='1.0'?><r><a b='1'>é</a></r>"))
        #expect(plain?.stringValue == "é")
        let latin = "<?xml version='1.0' encoding='ISO-8859-1'?><r>é</r>"
        #expect(root(document(try #require(latin.data(using: .isoLatin1))))?.stringValue == "é")
        #expect(root(document(try #require("<r>é</r>".data(using: .utf16))))?.stringValue == "é")
    }

    @Test(
        arguments: [
            "", " ", "text", "<a>", "<a><b></a>", "<a/>x", "<a/><b/>", "<!-- a -->",
            "<?xml version='1.0'?>", "<a b='1' b='2'/>", "<a>&none;</a>", "<a>\u{1}</a>",
        ])
    func `what is not well formed is an error`(body: String) {
        let result = document(body)
        #expect(result.object == nil)
        #expect(result.nsError?.domain == XMLParser.errorDomain)
    }

    @Test
    func `bytes that are no text are an error`() {
        let result = document(Data(Array("<a>".utf8) + [0xE9] + Array("</a>".utf8)))
        #expect(result.object == nil && result.error != nil)
    }

    @Test(
        arguments: [
            "<rss><media:title>t</media:title></rss>",
            "<!DOCTYPE r PUBLIC '-//X//Y' 'http://127.0.0.1:1/x.dtd'><r>a&nbsp;b</r>",
        ])
    func `what only a missing namespace or an unread external subset makes odd is read`(
        body: String
    ) {
        let result = document(body)
        #expect(result.error == nil)
        #expect(root(result) != nil)
    }

    @Test
    func `what only a warning is about is read`() {
        let odd = [
            "<r xmlns='x'/>", "<r xml:space='odd'/>", "<r xml:lang='-'/>",
            "<r xml:id='1'><a xml:id='1'/></r>", "<!DOCTYPE r [<!ELEMENT r ANY>]><r>a</r>",
        ]
        for body in odd { #expect(root(document(body)) != nil, "\(body)") }
    }

    @Test
    func `nothing of the body is printed`() throws {
        let marker = "PEERTEXT\(UUID().uuidString)"
        let bodies = [
            "<r>\(marker)\u{1B}]0;x\u{7}</r>", "<r \(marker)=b/>", "<\(marker):r/>",
            "<r>&\(marker);</r>",
            "<r xmlns='\(marker)'/>", "<r xml:id='\(marker)'><a xml:id='\(marker)'/></r>",
            "<r xml:space='\(marker)'/>", "<r><\(marker)></r>", "<!DOCTYPE r [%\(marker);]><r/>",
            "\(marker)<r/>", "<r>\(String(repeating: "<", count: 1_000))\(marker)",
        ]
        let printed = try StandardError.during {
            for body in bodies {
                _ = document(body)
                _ = parsedText(body)
            }
            _ = document(Data("<r>\(marker)".utf8) + Data([0xFF]) + Data("</r>".utf8))
        }
        #expect(!printed.contains(marker))
    }

    @Test
    func `an error for each byte ends at the first`() {
        for text in ["\u{1}", "<", "<a></b>", "&e;"] {
            let body = "<r>" + String(repeating: text, count: 300_000) + "</r>"
            let clock = ContinuousClock()
            let time = clock.measure { #expect(document(body).object == nil) }
            #expect(time < .seconds(10))
        }
    }

    // MARK: Instructions

    @Test(
        arguments: [
            "<?p?><r/>", "<r/><?p?>", "<r><?p?></r>", "<!DOCTYPE r [<?p?>]><r/>",
            "<?xml version='1.0'?><?p?><r>é</r>", "<r><?p:q?><?_é?></r>",
            "<!DOCTYPE r [<!-- <?q --> <?p?>]><r/>",
        ])
    func `an instruction without data has empty data, and stops no parser`(body: String) throws {
        let isDeclared = body.hasPrefix("<?xml version")
        let count = body.components(separatedBy: "?>").count - (isDeclared ? 2 : 1)
        // Without a byte order mark libxml2 knows UTF-16 by a `<?` at the start alone.
        let unmarked: [String.Encoding] =
            body.hasPrefix("<?") ? [.utf16LittleEndian, .utf16BigEndian] : []
        for encoding in [.utf8, .utf16] + unmarked {
            let data = try #require(body.data(using: encoding))
            #expect(found(data).instructions == Array(repeating: "", count: count), "\(encoding)")
            #expect(root(document(data)) != nil, "\(encoding)")
        }
    }

    @Test
    func `what looks like an instruction in a comment or in character data stays as it is`() {
        let found = found(Data("<r><!--<?p?>--><![CDATA[<?p?>]]><?p?></r>".utf8))
        #expect(found.comments == ["<?p?>"])
        #expect(found.blocks == ["<?p?>"])
        #expect(found.instructions == [""])
    }

    @Test(
        arguments: [
            "<r><!-- \u{1} <?p?> --></r>", "<r><!-- \u{FFFF} <?p?> --></r>",
            "<r><![CDATA[ \u{1} <?p?> ]]></r>", "<r><?q \u{1} <?p?> ?></r>",
            "<r b='<?p?>'/>", "<?xml?><r/>", "<r><?xml?></r>",
            "<r><??><?p?></r>", "<r><?é <!-- ?><![CDATA[ --> <?p?> ]]></r>", "<r><?·<?p?></r>",
            "<r><?q\u{1} <?p?> ?></r>",
            "<!DOCTYPE r SYSTEM '\u{1}<!-- '><![CDATA[ --> <?p?> ]]><r/>",
            "<!DOCTYPE r SYSTEM '\u{1}<?p?><r/>",
            "<!DOCTYPE r PUBLIC '{<?p?><r/>",
        ])
    func `damage before an instruction without data does not hide it`(body: String) {
        _ = found(Data(body.utf8))
        #expect(document(body).object == nil)
    }

    @Test
    func `a comment that is too long for the parser does not hide an instruction without data`() {
        let long = Data("<r><!--".utf8) + Data(repeating: 120, count: 10_500_000)
        _ = found(long + Data("<?p?>--></r>".utf8))
    }

    // MARK: Entities

    /// Documents that name something outside, by the place where they do.
    private static func documents(naming place: String) -> [String] {
        [
            "<!DOCTYPE r [<!ENTITY e SYSTEM '\(place)'>]><r>&e;</r>",
            "<!DOCTYPE r [<!ENTITY e PUBLIC 'p' '\(place)'>]><r>&e;</r>",
            "<!DOCTYPE r [<!ENTITY e SYSTEM '\(place)'>]><r a='&e;'/>",
            "<!DOCTYPE r [<!ENTITY % p SYSTEM '\(place)'> %p;]><r>&d;</r>",
            "<!DOCTYPE r SYSTEM '\(place)'><r>&d;</r>",
        ]
    }

    private static let options: [XMLNode.Options] = [
        [], .nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly,
    ]

    @Test(arguments: options)
    func `no file is loaded, whatever the options say`(options: XMLNode.Options) throws {
        let folder = TemporaryFolder()
        // Text as an entity's value, and a declaration as a subset's.
        let file = try folder.write("entity", Data("SECRET<!ENTITY d 'SECRET'>".utf8))
        let subset = try folder.write("subset", Data("<!ENTITY d 'SECRET'>".utf8))
        for place in [file.absoluteString, file.path, subset.absoluteString] {
            for body in Self.documents(naming: place) {
                let text = root(document(body, options))?.xmlString ?? ""
                #expect(!text.contains("SECRET"), "\(body)")
                #expect(!parsedText(body).contains("SECRET"), "\(body)")
            }
        }
    }

    @Test(arguments: options)
    func `no server is asked, whatever the options say`(options: XMLNode.Options) throws {
        let server = LoopbackServer.started()
        defer { server.stop() }
        for body in Self.documents(naming: server.url("/entity").absoluteString) {
            _ = document(body, options)
            _ = parsedText(body)
        }
        #expect(server.statistics.connectionsAccepted == 0)
    }

    /// What the parser of `XMLParserResponseSerializer` finds.
    private func parsedText(_ body: String) -> String {
        found(Data(body.utf8)).text
    }

    private func found(_ body: Data) -> Collector {
        let result = XMLParserResponseSerializer()
            .responseObject(for: Responses.http(200, "text/xml"), data: body)
        let collector = Collector()
        let parser = result.object as? XMLParser
        parser?.delegate = collector
        _ = parser?.parse()
        return collector
    }

    // MARK: Limits

    @Test
    func `entities of entities are refused, and so is a long one named often`() {
        for (depth, ampersand) in [(1, "&"), (2, "&#38;"), (9, "&"), (9, "&#x26;")] {
            let nested = (1...depth).map {
                "<!ENTITY a\($0) '\(String(repeating: "\(ampersand)a\($0 - 1);", count: 10))'>"
            }
            let laughs = "<!DOCTYPE r [<!ENTITY a0 'lol'>\(nested.joined())]><r>&a\(depth);</r>"
            #expect(document(laughs).object == nil)
        }
        let long = String(repeating: "x", count: 50_000)
        let often = String(repeating: "&a;", count: 20_000)
        let result = document("<!DOCTYPE r [<!ENTITY a '\(long)'>]><r>\(often)</r>")
        #expect(result.object == nil)
        let error = result.error as? ResponseSerializationError
        #expect(error?.reason == .exceedsLimit(.entities))
    }

    @Test
    func `256 elements in one another are read, 257 are refused rather than cut off`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + "x" + String(repeating: "</a>", count: depth)
        }
        #expect(root(document(nested(256)))?.stringValue == "x")
        #expect(document(nested(257)).object == nil)
    }

    @Test(arguments: [9_000_000, 11_000_000])
    func `a long piece of text is read whole or refused`(length: Int) {
        let body = Data("<a>".utf8) + Data(repeating: 120, count: length) + Data("</a>".utf8)
        let result = document(body)
        if length < 10_000_000 {
            #expect(root(result)?.stringValue?.utf8.count == length)
        } else {
            #expect(result.object == nil && result.error != nil)
        }
    }

    @Test(
        arguments: [String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf32])
    func `entities with markup are refused, whatever the encoding`(encoding: String.Encoding) throws
    {
        for value in ["<b/>", "&#60;b/>", "&#x3c;b/>", "<![CDATA[x]]>", "<?pi x?>"] {
            let body = "<!DOCTYPE r [<!ENTITY e '\(value)'>]><r>&e;</r>"
            #expect(document(try #require(body.data(using: encoding))).object == nil, "\(value)")
        }
        let indirect = "<!DOCTYPE r [<!ENTITY % p '<!ENTITY e \"<b/>\">'> %p;]><r>&e;</r>"
        #expect(document(try #require(indirect.data(using: encoding))).object == nil)
    }

    @Test(
        arguments: [
            [0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0], [0, 0, 0, 0x3C], [0x3C], [0x4C, 0x6F],
            [0xFF, 0xFE, 0x00, 0xD8, 0x00, 0x00],
            Array("<?xml version='1.0' encoding='x'?><r/>".utf8),
        ])
    func `bodies that hold nothing are errors`(bytes: [UInt8]) {
        let result = document(Data(bytes))
        #expect(result.object == nil && result.error != nil)
    }

    // MARK: Parser

    @Test
    func `a parser has not begun, so bad XML is no error, and a status error stays beside it`() {
        let serializer = XMLParserResponseSerializer()
        let bad = serializer.responseObject(
            for: Responses.http(500, "text/xml"), data: Data("<a><b>".utf8))
        #expect(bad.object is XMLParser)
        #expect(bad.nsError?.code == -1011)
        #expect(parsedText("<a>b<c>d</c></a>") == "bd")
    }
}

private final class Collector: NSObject, XMLParserDelegate {
    private(set) var text = ""
    private(set) var instructions: [String?] = []
    private(set) var comments: [String] = []
    private(set) var blocks: [String] = []

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        text += string
    }

    func parser(
        _ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?
    ) {
        instructions.append(data)
    }

    func parser(_ parser: XMLParser, foundComment comment: String) {
        comments.append(comment)
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        blocks.append(String(decoding: block, as: UTF8.self))
    }
}

/// What the process writes to standard error.
private enum StandardError {
    static func during(_ work: () -> Void) throws -> String {
        let folder = TemporaryFolder()
        let file = folder.file("stderr")
        let opened = open(file.path, O_CREAT | O_RDWR, 0o600)
        let kept = dup(2)
        defer {
            close(opened)
            close(kept)
        }
        try #require(opened >= 0 && kept >= 0)
        fflush(nil)
        dup2(opened, 2)
        work()
        fflush(nil)
        dup2(kept, 2)
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
}
