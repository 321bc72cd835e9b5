import RecordedTraces
import TestSupport

@testable import eras

@Suite("The originals, as recorded", .timeLimit(.minutes(1)))
struct OriginalTests {
    private let traces: [RecordedTrace]

    init() throws { traces = try RecordedTrace.all() }

    @Test func `more than sixty traces of each original are shown, each with its verdict`() {
        for original in Original.allCases {
            #expect(traces.count { $0.original == original } > 60)
        }
        let text = OriginalText(traces: traces).text
        let list = OriginalText(traces: traces).list.split(separator: "\n")
        for trace in traces {
            let verdict = trace.port.verdict.rawValue
            #expect(text.contains("\n\(trace.id): \(verdict)\n") || text.hasPrefix(trace.id))
            #expect(list.contains { $0.hasPrefix(trace.id + " ") && $0.hasSuffix(verdict) })
        }
        let tooWide = text.split(separator: "\n").filter { $0.count > 80 }
        #expect(tooWide.isEmpty, "\(tooWide.prefix(3))")
    }

    @Test func `each event of a trace is in its column once, in the recorded order`() {
        for trace in traces {
            #expect(trace.rows.compactMap(\.original) == trace.events, "\(trace.id)")
            let port = trace.port.events.map { event in
                switch event {
                case .same(let place): trace.events[place]
                case .like(_, let value), .other(let value): TraceEvent(value)
                }
            }
            #expect(trace.rows.compactMap(\.port) == port, "\(trace.id)")
        }
    }

    @Test func `what is marked as different has a reason, and what is equal has no such mark`() {
        for trace in traces {
            let isDifferent = trace.rows.contains { $0.mark == .different }
            if trace.port.verdict == .equal {
                #expect(!isDifferent && trace.port.reason.isEmpty, "\(trace.id)")
            } else {
                #expect(!trace.port.reason.isEmpty && !trace.port.statement.isEmpty, "\(trace.id)")
            }
        }
    }

    @Test func `events in another order are in two rows, and others share a row`() {
        let trace = traces.first { $0.rows.contains { $0.mark == .moved } }
        let moved = trace?.rows.filter { $0.mark == .moved } ?? []
        #expect(moved.count >= 2)
        #expect(moved.allSatisfy { ($0.original == nil) != ($0.port == nil) })
        let changed = traces.first { $0.id == "manager-bad-url" }?.rows ?? []
        #expect(changed.contains { $0.mark == .different && $0.original != nil && $0.port != nil })
    }

    @Test func `the page has a section for each trace, and every link leads to one`() {
        let page = OriginalPage(traces: traces).html
        let links = page.matches(of: /href="#([^"]+)"/).map { String($0.1) }
        #expect(links.count == traces.count && Set(links).count == links.count)
        #expect(links.allSatisfy { page.contains("<section id=\"\($0)\"") })
        #expect(page.components(separatedBy: "<table>").count == traces.count + 1)
    }

    @Test func `a text chooses the traces that have it in their names`() throws {
        let chosen = try OriginalCommand.traces(named: ["cancel-mid", "retry/once"]).map(\.id)
        #expect(chosen == ["cancel-mid-body", "retry/once"])
        #expect(throws: UsageError.self) { try OriginalCommand.traces(named: ["nothing-such"]) }
    }

    @Test func `it takes texts, a list and a page, and nothing that a run would write`() throws {
        let command = try Command(["compare", "cancel", "--original", "--html", "p.html"])
        #expect(
            command
                == .original(
                    CompareOptions(scenarios: ["cancel"], isOriginal: true, html: "p.html")))
        #expect(throws: UsageError.self) {
            try Command(["compare", "--original", "--json", "-"])
        }
    }
}
