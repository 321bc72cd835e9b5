import Foundation
import ParitySupport
@testable import RequestEra
import SessionTasks
import Testing

@Suite("Recorded traces of Alamofire 4.9.1", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct TraceParityTests {
    @Test(arguments: [SessionTransport.connection, .foundation])
    func `each running request is as recorded, or as a rule allows`(
        _ transport: SessionTransport
    ) async throws {
        let cases = try RequestGolden.cases("lifecycle").filter {
            $0.output["canonical"] != nil
        }
        var tally = ParityTally("request-lifecycle.json")
        var listed: [String: [String]] = [:]
        for recorded in cases {
            let (verdict, rule) = try await TraceVerdict.of(recorded, on: transport)
            tally.add(recorded.id, verdict)
            if let rule { listed[rule, default: []].append(recorded.id) }
        }
        print(transport == .connection ? tally.line : "with Foundation: " + tally.line)
        for (reason, ids) in listed.sorted(by: { $0.key < $1.key }) {
            print("  \(ids.count) \(reason): \(ids.joined(separator: " "))")
        }
        for other in tally.others { Issue.record("\(other.id): \(other.difference)") }
        #expect(tally.count == cases.count && tally.equal > 0)
        #expect(tally.absent == 0 || RequestGolden.areFromElsewhere)
    }
}
