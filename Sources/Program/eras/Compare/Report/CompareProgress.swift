import Foundation

/// Shows the progress of a comparison on standard error: one line that is redrawn on a terminal, and
/// elsewhere a line for each scenario.
struct CompareProgress: Sendable {
    let isQuiet: Bool
    private let isTerminal = Console.isErrorATerminal

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
    }

    func show(
        _ number: Int, of count: Int, _ scenario: any Scenario, _ column: Column, _ run: Int,
        _ runs: Int
    ) {
        guard isTerminal, !isQuiet else { return }
        let times = runs > 1 ? ", run \(run) of \(runs)" : ""
        let line = "\(number) of \(count)  \(scenario.id), \(column.title)\(times)"
        Console.toError("\r\u{1B}[K" + line.prefix(Console.size.columns - 1))
    }

    func leave(_ compared: ComparedScenario) {
        guard !isTerminal, !isQuiet else { return }
        Console.toError("\(compared.scenario.id): \(compared.verdict.rawValue)\n")
    }

    func end() {
        if isTerminal, !isQuiet { Console.toError("\r\u{1B}[K") }
    }
}
