import EventRecorder
import Testing

@testable import CurlConnection

@Suite("The texts of an exchange in a recording")
struct ExchangeTextsTests {
    private static let head = head([("A", "1"), ("B", "")])

    private static func head(
        _ fields: [(String, String)], status: Int = 200, version: String = "HTTP/1.1"
    ) -> ResponseHead {
        ResponseHead(
            version: version, statusCode: status,
            fields: fields.map { ResponseHead.Field(name: $0.0, value: $0.1) })
    }

    /// Whether the texts of a second exchange are taken for those of the first.
    private func areSame(
        _ head: ResponseHead, _ fields: ExchangeTexts.Fields = [(name: "Accept", value: "x")],
        failure: String = ""
    ) -> Bool {
        var texts = ExchangeTexts()
        texts.become(Self.head, [(name: "Accept", value: "x")], "")
        let first = texts.number
        texts.become(head, fields, failure)
        return texts.number == first
    }

    @Test("Equal heads and fields are the same texts")
    func same() {
        #expect(areSame(Self.head([("A", "1"), ("B", "")])))
    }

    @Test("Whatever differs makes other texts, also where the bytes in a row are equal")
    func different() {
        #expect(!areSame(Self.head([("A", "2"), ("B", "")])))
        #expect(!areSame(Self.head([("A", ""), ("1B", "")])))
        #expect(!areSame(Self.head([("A", "1")])))
        #expect(!areSame(Self.head([("A", "1"), ("B", "")], status: 201)))
        #expect(!areSame(Self.head([("A", "1"), ("B", "")], version: "HTTP/2")))
        #expect(!areSame(Self.head, []))
        #expect(!areSame(Self.head, failure: "lost"))
        #expect(!areSame(Self.head, [(name: "Accept", value: "y")]))
        #expect(!areSame(Self.head, [(name: "Accepted", value: "x")]))
    }

    @Test("Two transports' texts have different numbers")
    func numbers() {
        var one = ExchangeTexts()
        var other = ExchangeTexts()
        one.become(Self.head, [], "")
        other.become(Self.head, [], "")
        #expect(one.number != other.number)
    }
}
