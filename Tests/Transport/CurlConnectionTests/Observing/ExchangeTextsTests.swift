import EventRecorder
import HTTPSemantics
import TestSupport

@testable import CurlConnection

/// The server of tests has a type of the same name.
private typealias HeaderFields = HTTPSemantics.HeaderFields

@Suite("The texts of an exchange in a recording")
struct ExchangeTextsTests {
    private static let head = head([("A", "1"), ("B", "")])

    private static func head(
        _ fields: [(String, String)], status: Int = 200, version: String = "HTTP/1.1"
    ) -> ResponseHead {
        ResponseHead(
            version: version, statusCode: status,
            fields: HeaderFields(fields.map { (name: $0.0, value: $0.1) }))
    }

    /// Whether the texts of a second exchange are taken for those of the first.
    private func areSame(
        _ head: ResponseHead, _ fields: HeaderFields = ["Accept": "x"],
        failure: String = ""
    ) throws -> Bool {
        try EventRecorder.start()
        defer { _ = EventRecorder.stop() }
        let texts = ExchangeTexts()
        let first = texts.keepAll(Self.head, ["Accept": "x"], "")
        #expect(first > 0)
        return texts.keepAll(head, fields, failure) == first
    }

    @Test
    func `equal heads and fields are the same texts`() throws {
        #expect(try areSame(Self.head([("A", "1"), ("B", "")])))
    }

    @Test
    func `whatever differs makes other texts, also where the bytes in a row are equal`() throws {
        #expect(try !areSame(Self.head([("A", "2"), ("B", "")])))
        #expect(try !areSame(Self.head([("A", ""), ("1B", "")])))
        #expect(try !areSame(Self.head([("A", "1")])))
        #expect(try !areSame(Self.head([("A", "1"), ("B", "")], status: 201)))
        #expect(try !areSame(Self.head([("A", "1"), ("B", "")], version: "HTTP/2")))
        #expect(try !areSame(Self.head, [:]))
        #expect(try !areSame(Self.head, failure: "lost"))
        #expect(try !areSame(Self.head, ["Accept": "y"]))
        #expect(try !areSame(Self.head, ["Accepted": "x"]))
    }

    @Test
    func `each head is kept with its own request's fields, though others went out since`() throws {
        try EventRecorder.start()
        defer { _ = EventRecorder.stop() }
        let texts = ExchangeTexts()
        let (one, other): (HeaderFields, HeaderFields) = (["A": "1"], ["A": "2"])
        let numbers = [texts.number(of: one), texts.number(of: other), texts.number(of: other)]
        #expect(numbers[0] != numbers[1])
        #expect(numbers[1] == numbers[2])
        let kept = zip([one, other, other], numbers).map { texts.keep(Self.head, $0, $1, "") }
        #expect(kept[0] != kept[1])
        #expect(kept[1] == kept[2])
    }

    @Test
    func `two transports' texts have different numbers`() throws {
        try EventRecorder.start()
        defer { _ = EventRecorder.stop() }
        let numbers = (0..<2).map { _ in ExchangeTexts().keepAll(Self.head, [:], "") }
        #expect(numbers[0] != numbers[1])
    }

    @Test
    func `each recording keeps them anew; without one they are not kept`() throws {
        let texts = ExchangeTexts()
        #expect(texts.keepAll(Self.head, [:], "") == 0)
        for _ in 0..<2 {
            try EventRecorder.start()
            #expect(texts.keepAll(Self.head, [:], "") == 1)
            #expect(texts.recording == EventRecorder.recording)
            _ = EventRecorder.stop()
        }
    }

    @Test
    func `what has no room is not kept`() throws {
        try EventRecorder.start(capacity: 1)
        defer { _ = EventRecorder.stop() }
        let texts = ExchangeTexts()
        #expect(texts.keepAll(Self.head, [:], "") == 1)
        #expect(texts.keepAll(Self.head, [:], "lost") == 0)
    }
}

extension ExchangeTexts {
    /// Those of an exchange that is over at once.
    fileprivate func keepAll(
        _ head: ResponseHead, _ fields: HeaderFields, _ failure: String
    ) -> UInt32 {
        keep(head, fields, number(of: fields), failure)
    }
}
