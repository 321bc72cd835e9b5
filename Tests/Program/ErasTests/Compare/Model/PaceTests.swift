import TestSupport

@testable import eras

@Suite("Which column was faster", .timeLimit(.minutes(1)))
struct PaceTests {
    private func pace(_ walls: [Double], _ reference: [Double]) -> Pace {
        Pace(walls, comparedWith: reference)
    }

    @Test func `runs that overlap are level, whatever their medians say`() {
        #expect(pace([10, 11, 12, 13, 30], [12, 20, 21, 22, 23]) == .level)
        #expect(pace([12, 20, 21, 22, 23], [10, 11, 12, 13, 30]) == .level)
    }

    @Test func `one slow run in five does not count, on either side`() {
        #expect(pace([10, 11, 12, 13, 90], [20, 21, 22, 23, 24]) == .faster)
        #expect(pace([20, 21, 22, 23, 24], [10, 11, 90, 12, 13]) == .slower)
        #expect(pace([10, 11, 12, 21, 90], [20, 21, 22, 23, 24]) == .level)
    }

    @Test func `less than a tenth, or than a millisecond, is level`() {
        #expect(pace([100, 100, 100], [109, 109, 109]) == .level)
        #expect(pace([100, 100, 100], [112, 112, 112]) == .faster)
        #expect(pace([1, 1, 1], [1.9, 1.9, 1.9]) == .level)
    }

    @Test func `the rule is symmetric`() {
        let lists = [[1.0, 2, 3, 4, 5], [3, 4, 5, 6, 7], [5, 6, 7, 8, 9], [6, 7, 8, 9, 99]]
        for one in lists {
            for other in lists {
                let mirrored: Pace =
                    switch pace(other, one) {
                    case .faster: .slower
                    case .slower: .faster
                    case let same: same
                    }
                #expect(pace(one, other) == mirrored)
            }
        }
    }

    @Test func `less than three runs say nothing`() {
        #expect(pace([1, 1], [9, 9]) == .unknown)
        #expect(pace([], []) == .unknown)
    }

    private func compared(_ walls: [Column: [Double]]) -> ComparedScenario {
        ComparedScenario(
            TenJSONGets(),
            runs: Dictionary(
                uniqueKeysWithValues: Column.allCases.map { column in
                    let runs = (walls[column] ?? [5, 1, 9, 3, 7]).map { wall in
                        ColumnRun(
                            outcomes: [Outcome("a", "1")], requests: Int(wall),
                            wallMilliseconds: wall, processorMilliseconds: 10 - wall)
                    }
                    return (column, runs)
                }))
    }

    @Test func `what is shown is the run with the median wall time, all of it`() {
        let row = ComparisonRow(compared([:]), .foundation)
        #expect(row.wallMilliseconds == 5 && row.requests == 5 && row.processorMilliseconds == 5)
        #expect(row.leastMilliseconds == 1 && row.mostMilliseconds == 9)
        #expect(row.pace == "level")
    }

    @Test func `what came to something else, or by other work, is neither faster nor slower`() {
        func compared(_ scenario: any Scenario) -> ComparedScenario {
            let runs = Column.allCases.map { column in
                let other = scenario.changes.differences(in: column == .request ? column : .session)
                let outcomes = other.map {
                    Outcome($0.outcome, column == .connection ? $0.reference : $0.value)
                }
                let run = ColumnRun(
                    outcomes: outcomes + [Outcome("film", "1")],
                    wallMilliseconds: column == .connection ? 90 : column == .foundation ? 1 : 40)
                return (column, [run, run, run])
            }
            return ComparedScenario(scenario, runs: Dictionary(uniqueKeysWithValues: runs))
        }
        let different = compared(ChainAfterFailure())
        #expect(different.judgements[.session]?.verdict == .different)
        #expect(different.pace(.session) == .unknown && different.pace(.request) == .unknown)
        #expect(compared(TenJSONGets()).pace(.session) == .faster)
        #expect(compared(TenJSONGets()).pace(.foundation) == .faster)
        #expect(compared(CutDownload()).pace(.session) == .unknown)
    }

    @Test func `a column's pace is compared with its reference, and the first has none`() {
        let fast = compared([.connection: [1, 2, 3]])
        #expect(fast.pace(.connection) == .unknown)
        for column in Column.allCases where column.reference == .connection {
            #expect(compared([column: [20, 21, 22]]).pace(column) == .slower)
            #expect(fast.pace(column) == .level)
        }
    }
}
