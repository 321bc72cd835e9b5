import TestSupport

@testable import eras

@Suite("Outcomes as text", .timeLimit(.minutes(1)))
struct OutcomeTextTests {
    @Test func `values have one text each`() {
        #expect(OutcomeText.text(of: nil) == "nothing")
        #expect(OutcomeText.text(of: "text") == "text")
        #expect(OutcomeText.text(of: 7) == "7")
        #expect(OutcomeText.text(of: true) == "yes")
        #expect(OutcomeText.text(of: Data("short".utf8)) == "short")
        #expect(
            OutcomeText.text(of: ["b": 1, "a": ["x/y"]] as [String: Any]) == #"{"a":["x/y"],"b":1}"#
        )
        #expect(OutcomeText.text(of: URLError(.timedOut)) == "NSURLErrorDomain -1001")
    }

    @Test func `long data is reported by its length and a hash that depends on every byte`() {
        let zeros = Data(repeating: 0, count: 1_000)
        var other = zeros
        other[999] = 1
        #expect(OutcomeText.text(of: zeros).hasPrefix("1000 bytes, hash "))
        #expect(OutcomeText.text(of: zeros) != OutcomeText.text(of: other))
        #expect(OutcomeText.text(of: Data([0xFF])).hasPrefix("1 bytes, hash "))
    }
}
