import FoundationXML
import TestSupport

@testable import OperationNetworking

/// What a copy and an archive keep (wound 43): every public property.
@Suite("Copies and archives of response serializers", .timeLimit(.minutes(5)))
struct CopyAndCodingTests {
    /// One of each class, every property set to what is not its default.
    static let all: [HTTPResponseSerializer] = {
        let json = JSONResponseSerializer(readingOptions: [.mutableContainers, .fragmentsAllowed])
        json.removesKeysWithNullValues = true
        json.removesNullElements = true
        let list = PropertyListResponseSerializer(
            format: .binary, readOptions: .mutableContainersAndLeaves)
        let document = XMLDocumentResponseSerializer(options: [.nodePreserveCDATA])
        let compound = CompoundResponseSerializer(responseSerializers: [
            JSONResponseSerializer(readingOptions: .fragmentsAllowed),
            XMLDocumentResponseSerializer(options: .nodePreserveCDATA),
        ])
        let all = [
            HTTPResponseSerializer(), json, list, document, XMLParserResponseSerializer(), compound,
            UppercaseSerializer(),
        ]
        for serializer in all {
            serializer.stringEncoding = .shiftJIS
            serializer.acceptableStatusCodes = IndexSet([200, 201, 404]).union(IndexSet(500..<512))
            serializer.acceptableContentTypes = ["x/y", "a/b"]
        }
        return all
    }()

    /// Every property as text, by name.
    static func properties(of serializer: HTTPResponseSerializer) -> [String: String] {
        var found = [
            "stringEncoding": "\(serializer.stringEncoding.rawValue)",
            "acceptableStatusCodes": "\(serializer.acceptableStatusCodes.map(Array.init) ?? [-1])",
            "acceptableContentTypes": "\(serializer.acceptableContentTypes?.sorted() ?? ["nil"])",
        ]
        switch serializer {
        case let json as JSONResponseSerializer:
            found["readingOptions"] = "\(json.readingOptions.rawValue)"
            found["removesKeysWithNullValues"] = "\(json.removesKeysWithNullValues)"
            found["removesNullElements"] = "\(json.removesNullElements)"
        case let list as PropertyListResponseSerializer:
            found["format"] = "\(list.format.rawValue)"
            found["readOptions"] = "\(list.readOptions.rawValue)"
        case let document as XMLDocumentResponseSerializer:
            found["options"] = "\(document.options.rawValue)"
        case let compound as CompoundResponseSerializer:
            for (index, member) in compound.responseSerializers.enumerated() {
                guard let member = member as? HTTPResponseSerializer else { continue }
                found["\(index)"] = "\(type(of: member))"
                for (name, value) in properties(of: member) { found["\(index).\(name)"] = value }
            }
        default: break
        }
        return found
    }

    private func archived(_ serializer: HTTPResponseSerializer) throws -> HTTPResponseSerializer? {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: serializer, requiringSecureCoding: true)
        let archive = try NSKeyedUnarchiver(forReadingFrom: data)
        archive.requiresSecureCoding = true
        return archive.decodeObject(
            of: HTTPResponseSerializer.self, forKey: NSKeyedArchiveRootObjectKey)
    }

    private func expectSame(_ other: HTTPResponseSerializer?, _ serializer: HTTPResponseSerializer)
        throws
    {
        let other = try #require(other)
        #expect(other !== serializer)
        #expect(type(of: other) == type(of: serializer))
        #expect(Self.properties(of: other) == Self.properties(of: serializer))
    }

    @Test(arguments: all)
    func `the properties differ from the defaults, so that a lost one is seen`(
        serializer: HTTPResponseSerializer
    ) {
        let fresh = Self.properties(of: type(of: serializer).init())
        for (name, value) in Self.properties(of: serializer) {
            #expect(fresh[name] != value, "\(type(of: serializer)).\(name)")
        }
    }

    @Test(arguments: all)
    func `a copy has the class and every property`(serializer: HTTPResponseSerializer) throws {
        try expectSame(serializer.copy() as? HTTPResponseSerializer, serializer)
    }

    @Test(arguments: all)
    func `a secure archive has the class and every property`(serializer: HTTPResponseSerializer)
        throws
    {
        try expectSame(archived(serializer), serializer)
    }

    @Test(
        arguments: [nil, IndexSet()], [nil, Set<String>()])
    func `nil and empty acceptance stay apart`(codes: IndexSet?, types: Set<String>?) throws {
        let serializer = JSONResponseSerializer()
        serializer.acceptableStatusCodes = codes
        serializer.acceptableContentTypes = types
        try expectSame(archived(serializer), serializer)
        try expectSame(serializer.copy() as? HTTPResponseSerializer, serializer)
    }

    @Test
    func `what is set on a copy does not reach the original`() {
        let serializer = JSONResponseSerializer()
        let copy = serializer.copy() as? JSONResponseSerializer
        copy?.readingOptions = .fragmentsAllowed
        copy?.acceptableContentTypes = nil
        #expect(serializer.readingOptions == [])
        #expect(serializer.acceptableContentTypes != nil)
    }

    @Test
    func `a copy of a compound serializer asks the same members, also those it cannot archive`()
        throws
    {
        let member = JSONResponseSerializer()
        let compound = CompoundResponseSerializer(responseSerializers: [member, Bystander()])
        let copy = try #require(compound.copy() as? CompoundResponseSerializer)
        #expect(copy.responseSerializers.count == 2)
        #expect(copy.responseSerializers.first === member)
        let read = try #require(try archived(compound) as? CompoundResponseSerializer)
        #expect(read.responseSerializers.count == 1)
    }
}

/// A caller's subclass with nothing to archive of its own.
final class UppercaseSerializer: HTTPResponseSerializer, @unchecked Sendable {
    // @unchecked because it has no variables.
    override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        var result = super.responseObject(for: response, data: data)
        result.object = result.text?.uppercased()
        return result
    }
}

/// A serializer that is no descendant of the library's.
final class Bystander: URLResponseSerialization {
    func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        SerializedResponse(object: "never asked", error: nil)
    }
}
