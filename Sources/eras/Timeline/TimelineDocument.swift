import Foundation

/// The contents of the page: scenarios, each with the eras that ran it, on one time axis.
struct TimelineDocument: Codable, Sendable, Equatable {
    var title: String
    /// One or two sentences under the title.
    var subtitle = ""
    /// Processor, system and compiler, in one line.
    var machine = ""
    var date: Date
    /// The tables of changes at the top of the page, one a cause, in their order.
    var groups: [Group] = []
    var scenarios: [TimelineScenario]

    /// A table of the changes with one cause; left out where there are none.
    struct Group: Codable, Sendable, Equatable {
        /// As in `TimelineChange.cause`.
        var cause: String
        var heading: String
    }
}

/// What is not the same in all eras of a scenario.
struct TimelineChange: Codable, Sendable, Equatable {
    /// Whose doing it is.
    var cause: String
    /// The eras whose results differ because of it, by name; none where only the code does.
    var columns: [String] = []
    /// What changed and why.
    var sentence: String
    /// The article, source line or measurement that shows it.
    var source: String
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
    /// The causes of what differs; empty where the results are equal.
    var causes = ""
    /// Why it failed; empty where it did not.
    var failure = ""
    var changes: [TimelineChange] = []
    /// Drawn from the top down; the axis is between the first and the second.
    var eras: [TimelineEra]
    /// Why an era is missing, a sentence each.
    var without: [String] = []

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
