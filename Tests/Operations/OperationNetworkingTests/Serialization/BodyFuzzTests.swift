import FoundationXML
import ProcessUse
import TestSupport

@testable import CurlConnection
@testable import HTTPSemantics
@testable import OperationNetworking

/// What a peer sends, changed at random, through the readers that are used: `FUZZ_INPUTS` of each
/// kind, 2,000 unless it says otherwise; `FUZZ_FROM` is the first's number.
@Suite("Mutated bodies", .timeLimit(.minutes(60)), .serialized)
struct BodyFuzzTests {
    private static func number(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    /// No input takes longer; the seeds are small, so this is far below a second a megabyte.
    private static let longest = 0.5

    private func fuzz(_ kind: String, of seeds: [Data], _ read: (Data, inout SeededNumbers) -> Bool)
    {
        let first = Self.number("FUZZ_FROM", 0)
        let count = Self.number("FUZZ_INPUTS", 2_000)
        var (accepted, slowest, slowestNumber, bytes) = (0, 0, 0, 0)
        let start = ProcessorTime.ofThisThread
        for number in first..<first + count {
            var mutation = BodyMutation(number, of: seeds)
            bytes += mutation.body.count
            let before = ProcessorTime.ofThisThread
            if read(mutation.body, &mutation.numbers) { accepted += 1 }
            let taken = ProcessorTime.ofThisThread - before
            if taken > slowest { (slowest, slowestNumber) = (taken, number) }
        }
        let seconds = Double(ProcessorTime.ofThisThread - start) / 1e9
        let most = Double(slowest) / 1e9
        print(
            "fuzz \(kind): \(count) inputs, \(bytes) bytes, \(accepted) read, \(seconds) s,",
            "number \(slowestNumber) took \(most) s")
        #expect(most < Self.longest, "number \(slowestNumber)")
        #expect(accepted < count)
    }

    private func object(_ serializer: HTTPResponseSerializer, _ body: Data) -> Any? {
        serializer.acceptableContentTypes = nil
        let result = serializer.responseObject(for: Responses.http(200, "a/b"), data: body)
        _ = result.error.map { ($0 as NSError).localizedDescription }
        return result.object
    }

    // MARK: Property lists

    private static var values: [String: Any] {
        [
            "one": 1, "many": [1, -2, Int64.min, UInt64.max, 1.5, true, "é", "text"] as [Any],
            "date": Date(timeIntervalSinceReferenceDate: 5), "data": Data([1, 2, 3]),
            "map": ["a": ["b": ["c": "d"]], "e": [String: Any]()] as [String: Any],
            "long text of more than fourteen bytes": String(repeating: "x", count: 40),
        ]
    }

    private static func lists(_ format: PropertyListSerialization.PropertyListFormat) throws
        -> [Data]
    {
        let policy = try NSKeyedArchiver.archivedData(
            withRootObject: SecurityPolicy.default(), requiringSecureCoding: true)
        let archive = try PropertyListSerialization.propertyList(from: policy, format: nil)
        return try [values, [1, [2, ["a"]]] as [Any], "text", archive].map {
            try PropertyListSerialization.data(fromPropertyList: $0, format: format, options: 0)
        }
    }

    private func readList(_ body: Data, _ numbers: inout SeededNumbers) -> Bool {
        let options: PropertyListSerialization.ReadOptions =
            Bool.random(using: &numbers) ? [] : .mutableContainers
        let serializer = PropertyListResponseSerializer(format: .xml, readOptions: options)
        // Foundation stops the process over some values only when they are shown.
        return object(serializer, body).map { !"\($0)".isEmpty } ?? false
    }

    @Test
    func `a mutated binary property list is an error or a list`() throws {
        let sets = BinaryList.data([
            BinaryList.array(of: 1, times: 2), [0xC1, 0, 2], [0x51, 0x62],
        ])
        let seeds = try Self.lists(.binary) + [HostilePropertyListTests.set, sets]
        fuzz("binary property lists", of: seeds, readList)
    }

    @Test
    func `a mutated property list in text is an error or a list`() throws {
        let old = [
            "{a = (b, \"c\", <dead beef>); \"\\U0041\" = {d = e;};}", "a = b;\n/* c */ d = e;",
        ]
        let seeds = try Self.lists(.xml) + old.map { Data($0.utf8) }
        fuzz("property lists in text", of: seeds, readList)
    }

    @Test
    func `a mutated archive is an error or an object`() throws {
        let url = try #require(URL(string: "https://127.0.0.1/"))
        let objects: [any NSObject & NSSecureCoding] = [
            SecurityPolicy.default(), HTTPRequestOperation(request: URLRequest(url: url)),
            SubclassWithLabels(),
        ]
        let archives = try objects.map {
            try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
        }
        let texts = try archives.map {
            try PropertyListSerialization.data(
                fromPropertyList: PropertyListSerialization.propertyList(from: $0, format: nil),
                format: .xml, options: 0)
        }
        fuzz("archives", of: archives + texts) { body, _ in
            let operation = try? CheckedArchive.object(of: HTTPRequestOperation.self, from: body)
            let policy = try? CheckedArchive.object(of: SecurityPolicy.self, from: body)
            let other = try? CheckedArchive.object(
                of: SubclassWithLabels.self, allowing: [NSArray.self], from: body)
            return operation != nil || policy != nil || other != nil
        }
    }

    // MARK: Text

    @Test
    func `a mutated XML document is an error or a document`() {
        let texts = [
            "<?xml version='1.0' encoding='UTF-8'?><r a='1' xml:id='i'><b>é&amp;&#65;</b><!-- c --></r>",
            "<!DOCTYPE r [<!ELEMENT r ANY><!ENTITY e 'v'><!ATTLIST r a CDATA 'd'>]><r>&e;</r>",
            "<!DOCTYPE r SYSTEM 'x'><r xmlns:n='u' n:a='b'><n:c><![CDATA[<x>]]></n:c><?p q?></r>",
            "<!DOCTYPE r [<!NOTATION n SYSTEM 'x'><!ENTITY u SYSTEM 'x' NDATA n>]><r/>",
            "<rss><channel><item><media:title>t</media:title></item></channel></rss>",
        ]
        var seeds = texts.map { Data($0.utf8) }
        seeds += texts.prefix(2).flatMap { text in
            [String.Encoding.utf16, .utf16LittleEndian, .utf32].compactMap { text.data(using: $0) }
        }
        fuzz("XML", of: seeds) { body, _ in
            let parser = object(XMLParserResponseSerializer(), body) as? XMLParser
            let delegate = ElementCount()
            parser?.delegate = delegate
            _ = parser?.parse()
            let document = object(XMLDocumentResponseSerializer(), body) as? XMLDocument
            return document.map { !$0.xmlString.isEmpty } ?? false
        }
    }

    @Test
    func `mutated JSON is an error or a value`() {
        let texts = [
            "{\"a\":[1,-2.5e3,true,null,\"\\u00e9\\ud83d\\ude00\"],\"b\":{\"c\":{}}}",
            "[[[[]]],12345678901234567890,0.1,\"é\",{\"a\":1},{\"a\":2},{\"a\":3}]", "\"text\"",
            "1.5",
        ]
        let seeds = texts.map { Data($0.utf8) } + texts.compactMap { $0.data(using: .utf16) }
        let options: [JSONSerialization.ReadingOptions] = [
            [], .fragmentsAllowed, .mutableContainers, [.mutableContainers, .mutableLeaves],
        ]
        fuzz("JSON", of: seeds) { body, numbers in
            let chosen = options.randomElement(using: &numbers) ?? []
            let serializer = JSONResponseSerializer(readingOptions: chosen)
            serializer.removesKeysWithNullValues = Bool.random(using: &numbers)
            return object(serializer, body).map { !"\($0)".isEmpty } ?? false
        }
    }

    @Test
    func `a mutated event stream is events or an error`() {
        let texts = [
            "\u{FEFF}: c\nid: 1\nevent: add\ndata: a\ndata: b\n\nretry: 10\ndata: c\n\n",
            "id: 2\r\ndata\r\r\ndata: é\r\n\r\n", String(repeating: "data: x\n", count: 40) + "\n",
        ]
        fuzz("event streams", of: texts.map { Data($0.utf8) }) { body, numbers in
            var parser = EventStreamParser(limit: 200)
            var (rest, count) = (body[...], 0)
            do {
                while !rest.isEmpty {
                    let piece = rest.prefix(Int.random(in: 1...40, using: &numbers))
                    rest = rest.dropFirst(piece.count)
                    parser.feed(piece)
                    while try parser.next() != nil { count += 1 }
                }
            } catch {
                return false
            }
            return count > 0
        }
    }

    // MARK: Heads

    @Test
    func `a mutated head is a fault or a response`() throws {
        var heads = HostileHeads(seed: 1)
        var seeds = (0..<20).map { _ in
            Data((heads.lines() + ["", ""]).joined(separator: "\r\n").utf8)
        }
        seeds.append(
            Data(
                """
                HTTP/1.1 200 OK\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Encoding: gzip\r
                Content-Disposition: attachment; filename*=UTF-8''a%20b\r\nVary: a, b\r\nX: 1\r\n 2\r\n\r\n
                """.utf8))
        let url = try #require(URL(string: "http://127.0.0.1/a?b"))
        fuzz("heads", of: seeds) { body, _ in
            var reception = HeadReception(limit: 1 << 16)
            for line in body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            {
                let bytes = Data(line + [UInt8(ascii: "\n")])
                let head: ResponseHead?? = bytes.withUnsafeBytes { bytes in
                    reception.fault(in: bytes, isHTTP2: false) == nil ? reception.take(bytes) : nil
                }
                guard let head else { return false }
                guard let head, let response = head.response(for: url, isDecoded: true) else {
                    continue
                }
                _ = (response.suggestedFilename, response.mimeType, response.textEncodingName)
                return response.expectedContentLength >= -1 && head.announcedLength ?? 0 >= 0
            }
            return false
        }
    }

    @Test
    func `a mutated entry of the cache is damage, and its head, sealed again, is one or none`()
        throws
    {
        let url = try #require(URL(string: "http://127.0.0.1/a"))
        let key = try #require(CacheKey(url))
        let fields: HTTPSemantics.HeaderFields = [
            "Cache-Control": "max-age=60, stale-if-error=5", "ETag": "\"1\"", "Vary": "Accept",
            "Date": "Tue, 14 Nov 2023 22:13:20 GMT",
            "Last-Modified": "Tue, 14 Nov 2023 22:13:20 GMT",
        ]
        let body = Data("a body of some bytes".utf8)
        let head = StoredHead(
            key: key, status: 200, fields: fields,
            varyKey: VaryKey(of: CacheRequest(URLRequest(url: url)), vary: fields),
            requestTime: Date(timeIntervalSince1970: 5),
            responseTime: Date(timeIntervalSince1970: 6),
            isDecoded: false, bodySize: body.count, isGuessed: false)
        let start = try CacheFile.start(head: head, body: body)
        let file = start + body
        let folder = TemporaryFolder()
        let path = folder.url.appendingPathComponent("entry").path
        fuzz("cache entries", of: [file]) { changed, _ in
            let isWritten = FileManager.default.createFile(atPath: path, contents: changed)
            let read = StoredFile(path).flatMap { try? CacheFile.body(of: $0, upTo: .max) }
            #expect(isWritten && (read == nil || changed == file))
            return read != nil
        }
        let preamble = CacheFile.preambleSize
        fuzz("heads of cache entries", of: [start.dropFirst(preamble)]) { json, _ in
            let open = start.prefix(preamble - 32)
            guard let digest = FileSum.Kind.sha256.sum(of: open + json),
                let head = CacheFile.head(open + digest + json)
            else { return false }
            return head.lifetime >= 0 && head.wholeCost >= 0
        }
    }
}

private final class ElementCount: NSObject, XMLParserDelegate {
    private(set) var count = 0

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        count += 1
    }
}

/// A body that was changed at random; the same number gives the same changes.
private struct BodyMutation {
    var numbers: SeededNumbers
    private(set) var body: Data

    init(_ number: Int, of seeds: [Data]) {
        numbers = SeededNumbers(seed: UInt64(number))
        var bytes = Array(seeds.randomElement(using: &numbers) ?? Data())
        for _ in 0..<Int.random(in: 1...4, using: &numbers) {
            guard !bytes.isEmpty else { break }
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            let end = min(bytes.count, place + Int.random(in: 1...24, using: &numbers))
            switch Int.random(in: 0..<12, using: &numbers) {
            case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 2, 3: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            case 4, 5: bytes[place] = Self.remarkable.randomElement(using: &numbers) ?? 0
            case 6: bytes.removeSubrange(place..<end)
            case 7: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 8:
                let other = seeds.randomElement(using: &numbers) ?? Data()
                bytes.insert(
                    contentsOf: Array(other).dropFirst(place).prefix(end - place), at: place)
            case 9:
                for _ in 0..<Int.random(in: 1...200, using: &numbers) {
                    bytes.insert(contentsOf: bytes[place..<end], at: place)
                }
            case 10: bytes.removeSubrange(place...)
            default: bytes[place] &+= 1
            }
        }
        body = Data(bytes)
    }

    private static let remarkable: [UInt8] =
        [0, 1, 0x7F, 0x80, 0xFF, 0xA1, 0xC1, 0xD1, 0xDF, 0x33, 0x5F, 0x6F, 0x8F]
        + "<>&;:\"'\r\n %!".utf8
}
