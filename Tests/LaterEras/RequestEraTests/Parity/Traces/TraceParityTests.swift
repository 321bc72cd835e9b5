import ParitySupport
import TestSupport

@testable import RequestEra

@Suite("Recorded traces of Alamofire 4.9.1", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct TraceParityTests {
    @Test func `each running request is as recorded, or as a rule allows`() async throws {
        let cases = try recordings.cases("lifecycle").filter {
            $0.output["canonical"] != nil
        }
        var tally = ParityTally("request-lifecycle.json")
        for recorded in cases {
            let (verdict, rule) = try await TraceVerdict.of(recorded)
            tally.add(recorded.id, verdict, because: rule)
        }
        tally.tell(of: cases.count)
        #expect(tally.equal > 0)
    }

    /// What the recordings show, what they hold back, and what both are called.
    @Test func `every scenario of the recordings is played, also those that are not shown`() throws
    {
        let cases = try recordings.own("lifecycle")
        let hidden = cases.first { $0.id == "held-out" }?.output["scenarios"]?.elements ?? []
        let names =
            cases.filter { $0.output["canonical"] != nil }.map(\.id)
            + hidden.compactMap { $0["id"]?.string }.filter { !$0.hasPrefix("curl/") }
        #expect(names.filter { TraceScenarios.all[$0] == nil } == [])
        #expect(names.count == 210)
    }

    @Test func `those that are not shown end each request once`() async throws {
        let shown = Set(try recordings.own("lifecycle").map(\.id))
        let open = ["start/never", "handlers/none"]
        for id in TraceScenarios.all.keys.sorted() where !shown.contains(id) {
            let seen = try await TraceScenarios.play(
                id, expecting: 1, handlers: open.contains(id) ? 0 : 1)
            let final = seen?["final"]
            let called = final?["handlersCalled"]?.int ?? 0
            #expect(open.contains(id) ? called == 0 : called > 0, "\(id): \(seen ?? .null)")
            if !open.contains(id) {
                #expect(final?["A"]?["handlersStillQueued"] ?? 0 == 0, "\(id): \(seen ?? .null)")
            }
        }
    }

    @Test func `a trace that lacks an event, or has one more, or another order, is reported`()
        async throws
    {
        let cases = try recordings.own("lifecycle")
        let recorded = try #require(cases.first { $0.id == "retry/once" })
        let expected = TraceComparison.Expected(recorded.output)
        let played = try await TraceScenarios.play("retry/once", expecting: 4)
        let seen = try #require(played)
        let events = seen["events"]?.elements ?? []
        let comparison = TraceComparison()
        #expect(comparison.difference(expected, seen) == nil)
        let others = [
            Array(events.dropLast()), events + [events[0]], Array(events.reversed()),
            events.map { $0.setting(["status": 201]) },
        ]
        for other in others {
            let changed = seen.setting(["events": .array(other)])
            #expect(comparison.difference(expected, changed) != nil)
        }
        let final = seen["final"]?.setting(["requestsInMap": 1]) ?? .null
        #expect(comparison.difference(expected, seen.setting(["final": final])) != nil)
    }

    @Test func `each rule changes its recordings, and has a row in the page`() throws {
        let page = try String(
            contentsOf: packageFolder.appendingPathComponent("Documentation/RequestEra.md"),
            encoding: .utf8)
        let rows = page.split(separator: "\n")
        for rule in TraceRules.all {
            #expect(rule.ids.allSatisfy { TraceScenarios.all[$0] != nil }, "\(rule.ids)")
            guard case .statement(let number) = rule.cause else { continue }
            let row = rows.first { $0.contains(rule.reason) }
            #expect(row?.hasPrefix("| \(number) ") == true, "\(rule.reason)")
        }
    }
}
