import OperationNetworking
import TestSupport

// The import is not testable: subclasses here are what users write.
@Suite("Copies, archives and subclasses of request serializers", .timeLimit(.minutes(5)))
struct RequestSerializerCopyTests {
    /// Every property, away from its default.
    private func set(_ serializer: HTTPRequestSerializer) {
        serializer.stringEncoding = .big5
        serializer.allowsCellularAccess = true
        serializer.cachePolicy = .reloadIgnoringLocalCacheData
        serializer.httpShouldHandleCookies = true
        serializer.httpShouldUsePipelining = true
        serializer.networkServiceType = .video
        serializer.timeoutInterval = 7.5
        serializer.httpMethodsEncodingParametersInURI = ["GET", "PURGE"]
        serializer.setValue("é", forHTTPHeaderField: "X-A")
        serializer.setValue(nil, forHTTPHeaderField: "User-Agent")
        (serializer as? JSONRequestSerializer)?.writingOptions = [.prettyPrinted]
        (serializer as? PropertyListRequestSerializer)?.format = .binary
        (serializer as? PropertyListRequestSerializer)?.writeOptions = 3
    }

    private func described(_ serializer: HTTPRequestSerializer) -> [String] {
        [
            "\(type(of: serializer))", "\(serializer.stringEncoding.rawValue)",
            "\(serializer.allowsCellularAccess)", "\(serializer.cachePolicy.rawValue)",
            "\(serializer.httpShouldHandleCookies)", "\(serializer.httpShouldUsePipelining)",
            "\(serializer.networkServiceType.rawValue)", "\(serializer.timeoutInterval)",
            "\(serializer.httpMethodsEncodingParametersInURI.sorted())",
            "\(serializer.httpRequestHeaders.sorted { $0.key < $1.key })",
            "\((serializer as? JSONRequestSerializer)?.writingOptions.rawValue ?? 0)",
            "\((serializer as? PropertyListRequestSerializer)?.format.rawValue ?? 0)",
            "\((serializer as? PropertyListRequestSerializer)?.writeOptions ?? 0)",
        ]
    }

    private static let all: [HTTPRequestSerializer.Type] = [
        HTTPRequestSerializer.self, JSONRequestSerializer.self, PropertyListRequestSerializer.self,
        StampingSerializer.self,
    ]

    private func archived(_ serializer: HTTPRequestSerializer) throws -> HTTPRequestSerializer? {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: serializer, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: type(of: serializer), from: data)
    }

    @Test(arguments: 0..<all.count)
    func `a copy and an archive keep every property`(index: Int) throws {
        let untouched = Self.all[index].init()
        let serializer = Self.all[index].init()
        set(serializer)
        #expect(described(serializer) != described(untouched))
        for original in [serializer, untouched] {
            let copy = try #require(original.copy() as? HTTPRequestSerializer)
            #expect(copy !== original)
            #expect(described(copy) == described(original))
            let back = try #require(try archived(original))
            #expect(described(back) == described(original))
        }
    }

    @Test
    func `what was never set stays unset in a copy and an archive`() throws {
        let serializer = HTTPRequestSerializer()
        let copies = [serializer.copy() as? HTTPRequestSerializer, try archived(serializer)]
        for copy in copies.compactMap(\.self) {
            let request = try copy.request(method: "GET", urlString: "http://h/", parameters: nil)
            #expect(request.timeoutInterval == 60 && request.httpShouldHandleCookies)
        }
        #expect(copies.compactMap(\.self).count == 2)
    }

    @Test
    func `a copy has the query block, an archive the default`() throws {
        let serializer = HTTPRequestSerializer()
        serializer.setQueryStringSerialization { _, _ in "block" }
        let copies = [serializer.copy() as? HTTPRequestSerializer, try archived(serializer)]
        let queries = try copies.compactMap(\.self).map {
            try $0.request(method: "GET", urlString: "http://h/", parameters: ["k": 1]).url?.query
        }
        #expect(queries == ["block", "k=1"])
    }

    @Test
    func `a change to a copy does not reach the original`() throws {
        let serializer = HTTPRequestSerializer()
        let copy = try #require(serializer.copy() as? HTTPRequestSerializer)
        copy.setValue("1", forHTTPHeaderField: "X-A")
        #expect(serializer.value(forHTTPHeaderField: "X-A") == nil)
    }

    @Test
    func `archive that holds nothing of a serializer gives the defaults`() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.finishEncoding()
        let coder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        let serializer = try #require(JSONRequestSerializer(coder: coder))
        #expect(described(serializer) == described(JSONRequestSerializer()))
    }

    @Test
    func `a subclass in another module changes every request it makes`() throws {
        let serializer = StampingSerializer()
        let plain = try serializer.request(
            method: "POST", urlString: "http://h/", parameters: ["k": 1])
        #expect(plain.value(forHTTPHeaderField: "X-Stamp") == "1")
        #expect(plain.httpBody == Data(#"{"k":1}"#.utf8))
        let own: any URLRequestSerialization = serializer
        let request = URLRequest(url: try #require(URL(string: "http://h/")))
        let serialized = try own.request(bySerializing: request, with: nil)
        #expect(serialized.value(forHTTPHeaderField: "X-Stamp") == "1")
    }
}

final class StampingSerializer: JSONRequestSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass and adds no state.
    override func request(bySerializing request: URLRequest, with parameters: Any?) throws
        -> URLRequest
    {
        var stamped = try super.request(bySerializing: request, with: parameters)
        stamped.setValue("1", forHTTPHeaderField: "X-Stamp")
        return stamped
    }

    override func request(method: String, urlString: String, parameters: Any?) throws -> URLRequest
    {
        try super.request(method: method, urlString: urlString, parameters: parameters)
    }
}
