import ParitySupport
import TestSupport

/// The lists that say which recorded scenarios are compared, which differ and which wait.
@Suite("Coverage of the recordings", .timeLimit(.minutes(3)))
struct CoverageTests {
    private let recorded: [String]
    private let played = Parity.scenarios.filter { $0.source == .recording }
        .map(\.id)
    private let onlyDescribed = Parity.scenarios.filter { $0.source == .description }
        .map(\.id)

    init() throws {
        recorded = try GoldenCase.own.get().map(\.id)
    }

    @Test
    func `there are 76 recorded scenarios, each with a name of its own`() {
        #expect(recorded.count == 76)
        #expect(Set(recorded).count == 76)
    }

    @Test
    func `every recorded scenario is played, or is listed as one that cannot be`() {
        let differing = Set(DeliberateDifference.all.map(\.id))
        let impossible = Set(Impossible.scenarios.keys)
        #expect(differing.isSubset(of: Set(played + onlyDescribed)))
        #expect(impossible.isDisjoint(with: Set(played)))
        #expect(Set(played).union(impossible) == Set(recorded))
        #expect(played.count == Set(played).count)
    }

    @Test(
        .disabled(if: Recordings.areFromElsewhere))
    func `every scenario that is only described has its error recorded`() throws {
        let errors = Set(
            try recordings.cases("errors").compactMap { $0.input["scenario"]?.string })
        #expect(Set(onlyDescribed).isSubset(of: errors))
        #expect(onlyDescribed.count == Set(onlyDescribed).count)
        #expect(Set(onlyDescribed).isDisjoint(with: Set(recorded)))
    }

    @Test
    func `every listed difference names a wound, a reason and what differs`() {
        for difference in DeliberateDifference.all {
            #expect((1...73).contains(difference.wound), "\(difference.id)")
            #expect(difference.reason.hasSuffix("."), "\(difference.id)")
            #expect(!difference.changes.isEmpty, "\(difference.id)")
        }
    }

    @Test
    func `only Foundation's own events and the recorder's interception go unobserved`() throws {
        var dropped: [String: [String]] = [:]
        for golden in try GoldenCase.own.get() {
            let events = golden.output.canonical.map(Event.init(recorded:))
            for (place, event) in events.enumerated()
            where Unobservable.contains(event, before: Array(events[(place + 1)...])) {
                let name = event.operation.map { "\($0).\(event.what)" } ?? event.what
                dropped[name, default: []].append(golden.id)
            }
        }
        let ofBatches = dropped.keys.filter { $0.hasPrefix("\(Unobservable.batchOperation).") }
        let rest = Set(dropped.keys).subtracting(ofBatches)
        #expect(rest == ["connection.cancel", "B.isReady 1>0", "B.isReady 0>1"])
        #expect(dropped["B.isReady 1>0"] == Self.dependencies)
        #expect(dropped["B.isReady 0>1"] == Self.dependencies)
    }

    private static let dependencies = [
        "dependency", "dependency-fails", "dependency-cancel-first", "dependency-cancel-second",
    ]
}
