import Foundation

/// The contents of the page: scenarios, each with the eras that ran it, on one time axis.
struct TimelineDocument: Codable, Sendable, Equatable {
    var title: String
    /// One or two sentences under the title.
    var subtitle = ""
    /// Processor, system and compiler, in one line.
    var machine = ""
    var date: Date
    /// The table at the top of the page; left out where empty.
    var differences: [Difference] = []
    var scenarios: [TimelineScenario]

    /// One line of the table "what changed, and why".
    struct Difference: Codable, Sendable, Equatable {
        /// `TimelineScenario.id`; the line leads to it.
        var scenario: String
        /// What changed, in one sentence.
        var change: String
        /// The cause of a difference; empty where the results are equal.
        var cause = ""
        /// The article, source line or measurement that shows it.
        var source: String
    }
}

/// A scenario and its eras.
struct TimelineScenario: Codable, Sendable, Equatable {
    /// Short, as typed after `eras compare`.
    var id: String
    var title: String
    /// What the scenario asks, in one sentence.
    var question = ""
    /// Nil where nothing is compared.
    var verdict: Verdict?
    /// Which era was faster, in two words; empty where that is unknown.
    var pace = ""
    /// The difference in one sentence; empty where the results are equal.
    var difference = ""
    /// The article or measurement that shows the difference.
    var source = ""
    /// Drawn from the top down; the axis is between the first and the second.
    var eras: [TimelineEra]

    enum Verdict: String, Codable, Sendable {
        case equal, different, failed
    }

    /// The length of the common axis: milliseconds until the last event of any era.
    var duration: Double {
        let walls = eras.compactMap(\.facts.wallMilliseconds)
        let ends = eras.flatMap(\.lanes).map(\.end)
        return max((walls + ends).max() ?? 0, 0.001)
    }
}
