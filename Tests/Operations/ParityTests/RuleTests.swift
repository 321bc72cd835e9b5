import ParitySupport
import TestSupport

/// That rules of deliberate differences allow what they say and nothing besides.
@Suite("Rules of deliberate differences", .timeLimit(.minutes(5)))
struct RuleTests {
    private static let files = ParityFamily.all.map { $0.files[0] }

    private func family(_ file: String) throws -> ParityFamily {
        try #require(ParityFamily.of(file: file))
    }

    @Test(arguments: files)
    func `each rule allows its one outcome, which is shown, and refuses a wrong one`(
        _ file: String
    ) async throws {
        try await family(file).checkRules()
    }

    @Test(arguments: files)
    func `every rule is needed by a case, or has a made-up one`(_ file: String) async throws {
        try await family(file).checkNeed()
    }

    @Test(arguments: files)
    func `a case that differs in any one member from what it shows is told`(
        _ file: String
    ) async throws {
        try await family(file).checkVariations(isExact: true) { seen, recorded in
            var seen = seen
            // Reads are compared where they were recorded.
            if recorded.output["readSizes"] == nil {
                seen = .object(seen.members.filter { $0.key != "readSizes" })
            }
            return seen.variations + [[:], .failure(3, "An error"), .unsayable("anything")]
        }
    }

    @Test
    func `the nine bodies that are nothing rightly stay nothing`() async throws {
        var count = 0
        for recorded in recordings.known("response-serialization")
        where recorded.input["serializer"] == "json" && recorded.output["error"] == .null
            && recorded.output["object"]?.isNil == true && UndecodableBody(recorded) == nil
        {
            count += 1
            let error = GoldenValue.responseError(
                -1016, "Request failed: the body could not be decoded as text", recorded.input,
                more: ["NSLocalizedFailureReason": "The body is not text in Unicode (UTF-8)."])
            let wrong = recorded.changed(["error": error])
            guard case .other = ParityFamily.responses.verdict(recorded, on: wrong).0,
                case .equal = await ParityFamily.responses.verdict(recorded).0
            else {
                Issue.record("\(recorded.id) may be an error.")
                continue
            }
        }
        #expect(count >= 9)
    }
}
