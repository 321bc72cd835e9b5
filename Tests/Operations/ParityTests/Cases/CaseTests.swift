import NetworkImages
import OperationNetworking
import ParitySupport
import TestSupport

@Suite("Recorded cases", .timeLimit(.minutes(5)))
struct CaseTests {
    @Test(
        arguments: ParityFamily.all.flatMap(\.files)
    )
    func `every case is as recorded, or as a rule allows`(_ name: String) async throws {
        let family = try #require(ParityFamily.of(file: name))
        try await family.checkCases(of: name, heading: name)
    }

    @Test
    func `every file of the connection era is compared, and in each every case is another`() throws
    {
        let compared = ParityFamily.all.flatMap(\.files) + ["errors", GoldenCase.file]
        #expect(Set(compared) == Set(recordings.names) && compared.count == recordings.names.count)
        for name in compared {
            let ids = try recordings.own(name).map(\.id)
            #expect(Set(ids).count == ids.count, "\(name)")
        }
    }

    @Test
    func `true, 1 and 1.0 are three values, and so are 0, 0.0 and -0.0`() throws {
        let json = try GoldenValue(json: Data("[true, 1, 1.0, 0, 0.0, -0.0, false, \"1\"]".utf8))
        let values = json.elements
        #expect(values.count == 8)
        for (place, value) in values.enumerated() {
            for other in values[(place + 1)...] { #expect(value != other) }
        }
        #expect(GoldenValue(NSNumber(value: true)) == true)
        #expect(GoldenValue(NSNumber(value: 1)) == 1)
        #expect(GoldenValue(NSNumber(value: 1.0)) == .double(1))
        #expect(GoldenValue(NSNumber(value: -0.0)) == .double(-0.0))
        #expect(Seen.object(NSNumber(value: 1.0)) == ["$double": "1"])
        #expect(Seen.object(NSNumber(value: -0.0)) == ["$double": "-0.0"])
        #expect(Seen.object(NSNumber(value: -0.0)) != ["$double": "0.0"])
        #expect(Seen.object(NSNumber(value: 1.0)) != 1)
        #expect(Seen.object(NSNumber(value: true)) == ["$bool": true])
    }

    @Test
    func `a body that says true for 1, 1 for 1.0 or 0.0 for -0.0 is another body`() {
        func isSame(_ one: String, _ other: String) -> Bool {
            FoundationBody.says(Data(one.utf8), Data(other.utf8), inFloats: false)
        }
        #expect(isSame("{\"d\":0.10000000000000001}", "{\"d\":0.1}"))
        #expect(!isSame("{\"d\":0.1}", "{\"d\":0.10000001}"))
        #expect(!isSame("[true]", "[1]"))
        #expect(!isSame("[1]", "[1.0]"))
        #expect(!isSame("[0.0]", "[-0.0]"))
        #expect(!isSame("[false]", "[0]"))
    }

    @Test
    func `cookies of a configuration, timeouts with a fraction and addresses of forms are played`()
        throws
    {
        let request: GoldenValue = [
            "method": "GET", "params": .absent, "url": "http://example.com/p",
            "config": ["cookies": false, "timeout": .double(2.5)],
        ]
        guard case .object(let seen) = try RequestCases.outcome(request) else {
            Issue.record("No request.")
            return
        }
        #expect(seen["HTTPShouldHandleCookies"] == false)
        #expect(seen["timeoutInterval"] == .double(2.5))
        let form: GoldenValue = ["url": "http://example.com/other?x=1", "parts": []]
        guard case .object(let made) = try MultipartCases.outcome(form) else {
            Issue.record("No form.")
            return
        }
        #expect(made["url"] == "http://example.com/other?x=1")
    }

    @Test
    func `the recorder's own PNG is an error here, for its pixels are not there`() throws {
        let body = try #require(Data(base64Encoded: RecordedPNG.broken))
        let result = ImageResponseSerializer().responseObject(for: nil, data: body)
        #expect(result.object == nil && result.error != nil)
        let intact = try #require(RecordedPNG.body(body))
        #expect(ImageResponseSerializer().responseObject(for: nil, data: intact).error == nil)
    }

    @Test
    func `what a case asks for and nothing plays is told, never passed over`() {
        let inputs: [(GoldenValue, (GoldenValue) throws -> GoldenValue)] = [
            (["method": "GET", "url": "http://a/", "new": 1], RequestCases.outcome),
            (["method": "GET", "url": "http://a/", "config": ["new": 1]], RequestCases.outcome),
            (["parts": [["t": "new"]]], MultipartCases.outcome),
            (["parts": [["t": "form", "new": 1]]], MultipartCases.outcome),
            (["serializer": "new", "data": .absent], ResponseCases.outcome),
            (["serializer": "json", "data": .absent, "new": 1], ResponseCases.outcome),
        ]
        for (input, outcome) in inputs {
            #expect(throws: Unplayed.self, "\(input)") { try outcome(input) }
        }
    }

    @Test
    func
        `a manager's copy is played: it keeps what the original's forgets, and nothing else changes`()
        async throws
    {
        let recorded = MadeUp.copy
        let seen = try BaseURLCases.outcome(recorded)
        let verdict = await ParityFamily.baseURLs.verdict(recorded).0
        guard case .deliberate = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(seen["credential"] == "some")
        #expect(seen["shouldUseCredentialStorage"] == false)
        #expect(seen["maxConcurrentOperationCount"] == 3)
        #expect(seen["SSLPinningMode"] == 1)
        #expect(seen["baseURL"] == "http://example.com/v1/")
    }
}
