import Foundation
import FoundationXML
import FoundationNetworking
import OperationNetworking
import Testing

/// Small bodies that would become large, or take long: refused before they are parsed.
@Suite("Limits of decoded bodies", .timeLimit(.minutes(5)))
struct BodyLimitTests {
    private let lists = PropertyListResponseSerializer()
    private let documents = XMLDocumentResponseSerializer()
    private let parsers = XMLParserResponseSerializer()

    init() {
        for serializer in [lists, documents, parsers] as [HTTPResponseSerializer] {
            serializer.acceptableContentTypes = nil
        }
    }

    private func result(
        _ serializer: HTTPResponseSerializer, _ data: Data, status: Int = 200
    ) -> SerializedResponse {
        serializer.responseObject(for: Responses.http(status, "a/b"), data: data)
    }

    private func limit(
        _ serializer: HTTPResponseSerializer, _ body: String
    ) -> ResponseSerializationError.Limit? {
        let error = result(serializer, Data(body.utf8)).error as? ResponseSerializationError
        guard case .exceedsLimit(let limit) = error?.reason else { return nil }
        return limit
    }

    private func code(_ serializer: HTTPResponseSerializer, _ data: Data) -> Int? {
        let result = result(serializer, data)
        #expect((result.object == nil) == (result.error != nil))
        return result.nsError?.code
    }

    /// Bytes that take this time in the test machine's worst case are far below what they took.
    private func expectQuick(_ work: () -> Void) {
        let clock = ContinuousClock()
        #expect(clock.measure(work) < .seconds(2))
    }

    // MARK: Property lists

    @Test
    func `arrays that stand in many places at once are refused, however few the bytes`() {
        for levels in [6, 7, 20, 500] {
            let bomb = BinaryList.nested(levels: levels, width: 14)
            expectQuick { #expect(code(lists, bomb) == NSURLErrorDataLengthExceedsMaximum) }
        }
    }

    @Test
    func `so is a text that stands in many places`() {
        let text = [0x5F, 0x12, 0, 0x10, 0, 0] + [UInt8](repeating: 0x61, count: 1 << 20)
        let bomb = BinaryList.data([
            BinaryList.array(of: 1, times: 200), BinaryList.array(of: 2, times: 14), text,
        ])
        #expect(code(lists, bomb) == NSURLErrorDataLengthExceedsMaximum)
    }

    @Test
    func `what is shared within reason is read, and large lists without sharing are`() throws {
        #expect(code(lists, BinaryList.nested(levels: 4, width: 14)) == nil)
        let large = (0..<300_000).map { ["n": $0] }
        let data = try PropertyListSerialization.data(
            fromPropertyList: large, format: .binary, options: 0)
        let object = result(lists, data).object as? [[String: Int]]
        #expect(object?.count == 300_000)
        #expect(object?.last == ["n": 299_999])
    }

    @Test
    func `an array in itself is no property list, nor are offsets and counts beyond the end`()
        throws
    {
        let cycle = BinaryList.data([BinaryList.array(of: 1, times: 1), [0xA1, 0]])
        #expect(code(lists, cycle) == CocoaError.propertyListReadCorrupt.rawValue)
        let whole = try PropertyListSerialization.data(
            fromPropertyList: ["a": [1, 2.5, "ü", Data([1]), Date()] as [Any]], format: .binary,
            options: 0)
        #expect(code(lists, whole) == nil)
        for index in whole.indices {
            for byte in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var broken = whole
                broken[index] = byte
                _ = result(lists, broken)
            }
            _ = result(lists, whole.prefix(index))
        }
    }

    // MARK: XML

    private func element(_ attributes: Int) -> Data {
        let names = (0..<attributes).map { " a\($0)='v'" }.joined()
        return Data("<r\(names)/>".utf8)
    }

    @Test
    func `an element with too many attributes is refused, and one with 500 is read`() {
        for serializer in [documents, parsers] as [HTTPResponseSerializer] {
            expectQuick {
                #expect(code(serializer, element(20_000)) == NSURLErrorDataLengthExceedsMaximum)
            }
            #expect(code(serializer, element(513)) == NSURLErrorDataLengthExceedsMaximum)
            #expect(code(serializer, element(500)) == nil)
        }
    }

    @Test
    func `neither an open value, a comment, CDATA, a declaration nor another encoding hides them`()
    {
        let text = String(decoding: element(600), as: UTF8.self)
        let ways = [
            "<a x=\"\(text)", "<!-- \" ' --><r><![CDATA[<a ']]>\(text)</r>",
            "<!DOCTYPE r [<!ENTITY e \"'\"><!-- ' -->]><r>\(text)</r>", "<?p '<?>\(text)",
            "<!DOCTYPE r [ \(text)", "<!DOCTYPE r [<!ELEMENT r \(text)",
            "<!DOCTYPE r [<!ATTLIST r a CDATA '\(text)", "<!DOCTYPE r \"\(text)\" [",
        ]
        for way in ways {
            #expect(code(documents, Data(way.utf8)) == NSURLErrorDataLengthExceedsMaximum)
        }
        for encoding in [
            String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian,
        ] {
            let data = text.data(using: encoding) ?? Data()
            #expect(code(documents, data) == NSURLErrorDataLengthExceedsMaximum, "\(encoding)")
        }
        let late = "<?xml version='1.0'\(String(repeating: " ", count: 1_100))encoding='UTF-7'?>"
        for start in ["", "\u{FEFF}"] {
            let hidden =
                start + late + text.replacing("<", with: "+ADw-").replacing("=", with: "+AD0-")
            #expect(
                code(documents, Data(hidden.utf8))
                    == XMLParser.ErrorCode.unknownEncodingError.rawValue)
        }
        let shifted = "<?xml version='1.0' encoding='UTF-7'?>" + text.replacing("<", with: "+ADw-")
        #expect(code(documents, Data(shifted.utf8)) == NSURLErrorDataLengthExceedsMaximum)
    }

    @Test
    func `defaults and entities that would make a document far larger are refused`() {
        let defaults = (0..<400).map { " a\($0) CDATA 'v'" }.joined()
        let rows = String(repeating: "<b/>", count: 4_000)
        let attributes = "<!DOCTYPE a [<!ATTLIST b\(defaults)>]><a>\(rows)</a>"
        expectQuick {
            #expect(code(documents, Data(attributes.utf8)) == NSURLErrorDataLengthExceedsMaximum)
        }
        let long = String(repeating: "x", count: 100_000)
        let names = String(repeating: "<b>&e;</b>", count: 1_000)
        let entities = "<!DOCTYPE a [<!ENTITY e '\(long)'>]><a>\(names)</a>"
        expectQuick {
            #expect(code(documents, Data(entities.utf8)) == NSURLErrorDataLengthExceedsMaximum)
        }
    }

    @Test
    func `what a document declares of its own is refused before a parser sees it`() {
        let values = (0..<100_000).map { "v\($0)" }.joined(separator: "|")
        let names = (0..<30_000).map { " i\($0) ID #IMPLIED" }.joined()
        let subsets = [
            "<!ENTITY e 'v'>", "<!ENTITY % p 'v'>", "<!ATTLIST r a CDATA 'd'>",
            "<!ATTLIST r a (\(values)) 'v1'>", "<!ATTLIST r\(names)>", "<!NOTATION n SYSTEM 'x'>",
            "<!ELEMENT r ANY><!-- c --><?p?><!ENTITY e 'v'>", "<!-- <!ENTITY e 'v'> -->",
        ]
        for subset in subsets {
            let types = [
                "<!DOCTYPE r [\(subset)]>", "<!-- <a> --><?p <!-- ?>\n<!DOCTYPE r [\(subset)]>",
                "<!DOCTYPE r SYSTEM '<!--' [\(subset)]>", "<!DOCTYPE r PUBLIC '[' '>' [\(subset)]>",
                "<?xml version='1.0'?><?p?><!DOCTYPE r [\(subset)]><!-- ' -->",
            ]
            for type in types {
                for serializer in [documents, parsers] as [HTTPResponseSerializer] {
                    expectQuick {
                        let body = type + "<r/>"
                        #expect(limit(serializer, body) == .entities, "\(body.prefix(80))")
                    }
                }
            }
        }
        // Only in a document's type are they declarations.
        for body in [
            "<r><![CDATA[<!DOCTYPE r [<!ENTITY e 'v'>]>]]></r>", "<r><!-- <!ENTITY> --></r>",
        ] {
            #expect(code(documents, Data(body.utf8)) == nil)
            #expect(code(parsers, Data(body.utf8)) == nil)
        }
    }

    @Test(
        arguments: [
            ("ENTITY e 'v'", "an entity"), ("ATTLIST r a CDATA 'd'", "an attribute list"),
            ("NOTATION n SYSTEM 'x'", "a notation"),
        ])
    func `the error says which declaration it was`(declaration: String, words: String) {
        let body = Data("<!DOCTYPE r [<!ELEMENT r ANY><!\(declaration)>]><r/>".utf8)
        for serializer in [documents, parsers] as [HTTPResponseSerializer] {
            let error = result(serializer, body).error
            #expect(error?.localizedDescription == "Request failed: the body declares \(words)")
        }
    }

    @Test
    func `document types by the thousand take no longer than one`() {
        let many = Data((String(repeating: "<!DOCTYPE r>", count: 100_000) + "<r/>").utf8)
        expectQuick { _ = result(parsers, many) }
        let last = many + Data("<!NOTATION n SYSTEM 'x'>".utf8)
        expectQuick { #expect(code(parsers, last) == NSURLErrorDataLengthExceedsMaximum) }
    }

    @Test
    func `no encoding hides a declaration`() throws {
        let body = "<!DOCTYPE r [<!ENTITY e 'v'>]><r>&e;</r>"
        let encodings: [String.Encoding] = [
            .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian,
            .utf32LittleEndian,
        ]
        let shifted = body.replacing("<", with: "+ADw-").replacing("&", with: "+ACY-")
        let bodies =
            try encodings.map { try #require(body.data(using: $0)) }
            + ["UTF-7", "utf-7"].map {
                Data("<?xml version='1.0' encoding='\($0)'?>\(shifted)".utf8)
            }
        for body in bodies {
            for serializer in [documents, parsers] as [HTTPResponseSerializer] {
                let result = result(serializer, body)
                #expect(result.object == nil)
                let error = result.error as? ResponseSerializationError
                #expect(error?.reason == .exceedsLimit(.entities))
            }
        }
    }

    @Test(
        arguments: [
            "UTF-16", "utf-16le", "UTF-16BE", "UCS-4", "ISO-10646-UCS-2", "UTF-32", "IBM037",
            "ebcdic-cp-us", "CP500", "none", "x-user-defined", "UNICODE",
        ])
    func `bytes that are not in the declared encoding are refused`(name: String) throws {
        let unknown = XMLParser.ErrorCode.unknownEncodingError.rawValue
        let ascii = Data("<?xml version='1.0' encoding='\(name)'?><r/>".utf8)
        for serializer in [documents, parsers] as [HTTPResponseSerializer] {
            #expect(code(serializer, ascii) == unknown)
            #expect(code(serializer, Data([0xEF, 0xBB, 0xBF]) + ascii) == unknown)
        }
    }

    @Test(arguments: ["", "<?xml version='1.0' encoding='UTF-8'?>"])
    func `bytes that are not UTF-8 are refused where no other encoding is declared`(start: String) {
        for body in ["<r\u{FF}/>", "<r \u{E9}=''/>", "<r a='\u{FF}'/>", "<r>\u{FF}</r>"] {
            let bytes = Data(start.utf8) + (body.data(using: .isoLatin1) ?? Data())
            for serializer in [documents, parsers] as [HTTPResponseSerializer] {
                let result = result(serializer, bytes)
                #expect(result.object == nil && result.error != nil)
            }
        }
    }

    @Test
    func `a byte order mark and another declared encoding are refused, the same one is read`()
        throws
    {
        let unknown = XMLParser.ErrorCode.unknownEncodingError.rawValue
        func body(_ name: String, _ encoding: String.Encoding, mark: [UInt8] = []) throws -> Data {
            let text = "<?xml version='1.0' encoding='\(name)' standalone='yes'?><r>é</r>"
            return try Data(mark) + #require(text.data(using: encoding))
        }
        for serializer in [documents, parsers] as [HTTPResponseSerializer] {
            #expect(code(serializer, try body("UTF-8", .utf16)) == unknown)
            #expect(code(serializer, try body("ISO-8859-1", .utf16LittleEndian)) == unknown)
            #expect(
                code(serializer, try body("ISO-8859-1", .utf8, mark: [0xEF, 0xBB, 0xBF])) == unknown
            )
            #expect(code(serializer, try body("UTF-16", .utf16)) == nil)
            #expect(code(serializer, try body("utf-8", .utf8, mark: [0xEF, 0xBB, 0xBF])) == nil)
            #expect(code(serializer, try body("windows-1252", .windowsCP1252)) == nil)
            let japanese = "<?xml version='1.0' encoding='Shift_JIS'?><r>表示</r>"
            let shifted = try #require(japanese.data(using: .shiftJIS))
            #expect(code(serializer, shifted) == nil)
        }
        let read = result(documents, try body("ISO-8859-1", .isoLatin1)).object as? XMLDocument
        #expect(read?.rootElement()?.stringValue == "é")
    }

    @Test(
        arguments: [
            "<?xml version='1.0' x='>' ?>",
            "<?xml version='1.0' x><!DOCTYPE r [<!ENTITY e 'v'>]><?p?>",
            "<?xml version=\"encoding='UTF-8'\" encoding=\"UTF-7\"?>", "<?xml encoding='UTF-8'?>",
            "<?xml version='1.0' encoding='UTF-8' encoding='UTF-7'?>", "<?xml version='1.0' ",
        ])
    func `a damaged XML declaration is refused, since a parser might see another one`(start: String)
    {
        for serializer in [documents, parsers] as [HTTPResponseSerializer] {
            #expect(
                code(serializer, Data("\(start)<r/>".utf8))
                    == XMLParser.ErrorCode.unknownEncodingError.rawValue)
        }
    }

    @Test
    func `bytes that look like markup inside a character of two bytes hide nothing`() throws {
        // 0x5D, a bracket, is the second byte of the character before the brackets.
        let name = Data("<?xml version='1.0' encoding='Shift_JIS'?><r><![CDATA[".utf8)
        let hidden =
            name + Data([0x83]) + Data("]]><!-- ]]>".utf8) + element(600) + Data("</r>".utf8)
        #expect(code(documents, hidden) == NSURLErrorDataLengthExceedsMaximum)
        #expect(code(parsers, hidden) == NSURLErrorDataLengthExceedsMaximum)
    }

    @Test
    func `too many names, long ones, and namespaces within one another are refused`() {
        let many = (0..<800_000).map { "<a\($0)/>" }.joined()
        let attributes = (0..<100_000).map { "<a b\($0)=''/>" }.joined()
        let identifiers = (0..<500_000).map { "<a xml:id='i\($0)'/>" }.joined()
        func spaces(_ count: Int) -> String {
            (0..<count).map { "<a xmlns:n\($0)='u' xmlns = 'v'>" }.joined()
                + String(repeating: "<z:a/>", count: 1_000)
                + String(repeating: "</a>", count: count)
        }
        let bodies = [
            many, attributes, identifiers, "<\(String(repeating: "a", count: 1_025))/>",
            "<a \(String(repeating: "b", count: 1_025))=''/>", spaces(129),
        ]
        for body in bodies {
            for serializer in [documents, parsers] as [HTTPResponseSerializer] {
                expectQuick { #expect(limit(serializer, "<r xmlns:z='u'>\(body)</r>") == .names) }
            }
        }
        let sequence = String(repeating: "<n:a xmlns:n='u'>b</n:a><n:c xmlns:n='u'/>", count: 5_000)
        let fine = [sequence, spaces(100), "<\(String(repeating: "a", count: 1_024))/>"]
        for body in fine {
            let data = Data("<r xmlns:z='u'>\(body)</r>".utf8)
            #expect(code(documents, data) == nil && code(parsers, data) == nil)
        }
    }

    @Test
    func `an error status comes first, as before a text that cannot be read`() {
        let bomb = BinaryList.nested(levels: 7, width: 14)
        #expect(result(lists, bomb, status: 500).nsError?.code == NSURLErrorBadServerResponse)
    }
}

/// Binary property lists as no writer would make them.
enum BinaryList {
    /// Arrays, each so many times in the one before.
    static func nested(levels: Int, width: Int) -> Data {
        data((0..<levels).map { array(of: $0 + 1, times: width) } + [[0x10, 1]])
    }

    static func array(of object: Int, times count: Int) -> [UInt8] {
        let head: [UInt8] = count < 15 ? [0xA0 | UInt8(count)] : [0xAF, 0x11] + bytes(count)
        return head + (0..<count).flatMap { _ in bytes(object) }
    }

    /// Objects with references of two bytes; the first one holds all.
    static func data(_ objects: [[UInt8]]) -> Data {
        var list = Array("bplist00".utf8)
        var table: [UInt8] = []
        for object in objects {
            table += [UInt8](withUnsafeBytes(of: UInt64(list.count).bigEndian, Array.init))
            list += object.count == 2 && object[0] == 0xA1 ? [0xA1, 0, object[1]] : object
        }
        var trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 8, 2]
        for number in [objects.count, 0, list.count] {
            trailer += withUnsafeBytes(of: UInt64(number).bigEndian, Array.init)
        }
        return Data(list + table + trailer)
    }

    private static func bytes(_ number: Int) -> [UInt8] {
        [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    }
}
