import Foundation
import FoundationNetworking
import FoundationXML
import LoopbackServer
import Testing

@testable import OperationNetworking

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
    func `a document's own entities are read where they are text`() {
        let result = document("<!DOCTYPE r [<!ENTITY e '&#118;w'>]><r>t&e;&amp;</r>")
        #expect(root(result)?.stringValue == "tvw&")
        #expect(root(result)?.xmlString == "<r>tvw&amp;</r>")
        let declarations = """
            <!DOCTYPE r [<!ELEMENT r ANY><!ATTLIST r a CDATA 'd'><!ENTITY % p 'q'><!ENTITY e 'v'>
            <?pi x?><!-- c --><!ENTITY amp '&#38;#38;'>]>
            """
        #expect(root(document(declarations + "<r>&e;</r>"))?.stringValue == "v")
        let notation = "<!DOCTYPE r [<!NOTATION n SYSTEM 'x'><!ENTITY u SYSTEM 'x' NDATA n>]><r/>"
        #expect(document(notation).object == nil)
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
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("entity-\(UUID().uuidString)")
        // Text as an entity's value, and a declaration as a subset's.
        try Data("SECRET<!ENTITY d 'SECRET'>".utf8).write(to: file)
        let subset = folder.appendingPathComponent("subset-\(UUID().uuidString)")
        try Data("<!ENTITY d 'SECRET'>".utf8).write(to: subset)
        defer { for url in [file, subset] { try? FileManager.default.removeItem(at: url) } }
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
        let server = LoopbackServer()
        try server.start()
        defer { server.stop() }
        for body in Self.documents(naming: server.url("/entity").absoluteString) {
            _ = document(body, options)
            _ = parsedText(body)
        }
        #expect(server.statistics.connectionsAccepted == 0)
    }

    /// What the parser of `XMLParserResponseSerializer` finds.
    private func parsedText(_ body: String) -> String {
        let result = XMLParserResponseSerializer()
            .responseObject(for: Responses.http(200, "text/xml"), data: Data(body.utf8))
        let collector = TextCollector()
        let parser = result.object as? XMLParser
        parser?.delegate = collector
        _ = parser?.parse()
        return collector.text
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

private final class TextCollector: NSObject, XMLParserDelegate {
    private(set) var text = ""

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        text += string
    }
}
