import OperationNetworking
import TestSupport

/// Without `@testable`: what a caller in another module can override, and what happens then.
/// RE-15.
@Suite("Subclasses and compound serializers", .timeLimit(.minutes(5)))
struct SubclassAndCompoundTests {
    private let body = Data("{\"a\":1}".utf8)

    @Test
    func `a validation that waives everything lets the body be decoded`() {
        let result = LaxSerializer().responseObject(
            for: Responses.http(500, "text/html"), data: body)
        #expect(result.object as? [String: Int] == ["a": 1])
        #expect(result.error == nil)
    }

    @Test
    func `a caller's validation error comes with the object, and lies beneath a parser's error`() {
        let serializer = EnvelopeSerializer()
        let response = Responses.http(200, "application/json")
        let result = serializer.responseObject(for: response, data: Data("{\"error\":7}".utf8))
        #expect(result.object as? [String: Int] == ["error": 7])
        #expect(result.nsError?.domain == "envelope")
        let broken = serializer.responseObject(for: response, data: Data("{\"error\":".utf8))
        #expect(broken.object == nil)
        #expect(broken.nsError?.domain == NSCocoaErrorDomain)
        #expect(broken.nsError?.beneath?.domain == "envelope")
    }

    @Test
    func `a caller's validation error that names the type beneath keeps the body undecoded`() {
        let serializer = EnvelopeSerializer()
        serializer.acceptableContentTypes = ["x/y"]
        let result = serializer.responseObject(
            for: Responses.http(200, "text/html"), data: Data("{\"error\":7}".utf8))
        #expect(result.object == nil)
        #expect(result.nsError?.domain == "envelope")
        #expect(result.nsError?.beneath?.code == NSURLErrorCannotDecodeContentData)
    }

    @Test
    func `a subclass's object is what callers get`() {
        let result = UppercaseSerializer().responseObject(
            for: Responses.http(404, nil), data: Data("abc".utf8))
        #expect(result.object as? String == "ABC")
        #expect(result.nsError?.code == -1011)
    }

    // MARK: Compound

    private func compound(_ members: [any URLResponseSerialization])
        -> CompoundResponseSerializer
    {
        CompoundResponseSerializer(responseSerializers: members)
    }

    @Test
    func `the first object wins, with its error`() {
        let result = compound([
            XMLDocumentResponseSerializer(), JSONResponseSerializer(), HTTPResponseSerializer(),
        ]).responseObject(for: Responses.http(404, "application/json"), data: body)
        #expect(result.object as? [String: Int] == ["a": 1])
        #expect(result.nsError?.code == -1011)
    }

    @Test
    func `a member's error without an object is dropped; then the body comes as it is`() {
        let serializer = compound([JSONResponseSerializer(), PropertyListResponseSerializer()])
        let data = Data("{".utf8)
        let result = serializer.responseObject(
            for: Responses.http(200, "application/json"), data: data)
        #expect(result.object as? Data == data)
        #expect(result.error == nil)
        let refused = serializer.responseObject(for: Responses.http(404, "a/b"), data: data)
        #expect(refused.object as? Data == data)
        #expect(refused.nsError?.code == -1011)
    }

    @Test
    func `who is no descendant is not asked`() {
        let result = compound([Bystander(), JSONResponseSerializer()]).responseObject(
            for: Responses.http(200, "application/json"), data: body)
        #expect(result.object is [String: Any])
    }

    @Test
    func `a compound serializer can be a member, and one that asks nobody hands out the body`() {
        let inner = compound([JSONResponseSerializer()])
        let response = Responses.http(200, "application/json")
        #expect(
            compound([inner]).responseObject(for: response, data: body).object is [String: Any])
        #expect(compound([]).responseObject(for: response, data: body).object as? Data == body)
    }

    // MARK: Threads

    @Test
    func `serializing while properties change gives one of the defined results`() async {
        let serializer = JSONResponseSerializer()
        let response = Responses.http(200, "application/json")
        await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for turn in 0..<200 {
                        if thread < 2 {
                            let isEven = turn.isMultiple(of: 2)
                            serializer.acceptableContentTypes = isEven ? ["x/y"] : nil
                            serializer.acceptableStatusCodes = isEven ? [200, 404] : nil
                            serializer.removesKeysWithNullValues = isEven
                        } else {
                            let result = serializer.responseObject(
                                for: response, data: Data("{\"a\":null}".utf8))
                            let count = (result.object as? [String: Any])?.count
                            let isRefused = result.nsError?.code == -1016 && result.object == nil
                            guard isRefused || result.error == nil && count != nil else {
                                return false
                            }
                        }
                    }
                    return true
                }
            }
            for await isDefined in group { #expect(isDefined) }
        }
    }
}

private final class LaxSerializer: JSONResponseSerializer, @unchecked Sendable {
    // @unchecked because it has no variables.
    override func validate(_ response: HTTPURLResponse?, data: Data?) throws {}
}

/// Takes a body with "error" in it for a failure, and puts what the library finds beneath.
private final class EnvelopeSerializer: JSONResponseSerializer, @unchecked Sendable {
    // @unchecked because it has no variables.
    override func validate(_ response: HTTPURLResponse?, data: Data?) throws {
        var info: [String: Any] = [:]
        do {
            try super.validate(response, data: data)
        } catch {
            info[NSUnderlyingErrorKey] = error as NSError
        }
        if let data, String(decoding: data, as: UTF8.self).contains("error") {
            throw NSError(domain: "envelope", code: 7, userInfo: info)
        }
    }
}
