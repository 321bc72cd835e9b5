/// One picture of the page: what ran, once or in several eras, on one time axis.
public struct TimelineScenario: Codable, Sendable, Equatable {
    /// Short and unique on the page: the picture's link.
    public var id: String
    /// Over the picture; empty on a page of one picture, whose title says it.
    public var title: String
    /// What the picture asks, in one sentence.
    public var question: String
    /// What the picture shows, in one sentence; made from the lanes where it is empty.
    public var conclusion: String
    /// Where to look in the picture; may be empty.
    public var advice: String
    /// Whether each run has an axis of its own, so that a short one is seen beside a long one.
    public var hasOwnAxes: Bool
    /// Nil where nothing is compared.
    public var verdict: Verdict?
    /// The causes of what differs; empty where the results are equal.
    public var causes: String
    /// Why it failed; empty where it did not.
    public var failure: String
    /// What is not the same in all eras, and why.
    public var changes: [TimelineChange]
    /// Drawn from the top down; the axis is between the first and the second.
    public var eras: [TimelineEra]
    /// Why an era is missing, a sentence each.
    public var without: [String]

    /// A picture of these runs; texts may be left empty, and are left out then.
    public init(
        id: String, title: String, question: String = "", conclusion: String = "",
        advice: String = "", hasOwnAxes: Bool = false, verdict: Verdict? = nil, causes: String = "",
        failure: String = "",
        changes: [TimelineChange] = [], eras: [TimelineEra], without: [String] = []
    ) {
        self.id = id
        self.title = title
        self.question = question
        self.conclusion = conclusion
        self.advice = advice
        self.hasOwnAxes = hasOwnAxes
        self.verdict = verdict
        self.causes = causes
        self.failure = failure
        self.changes = changes
        self.eras = eras
        self.without = without
    }

    /// How the results of the eras compare.
    public enum Verdict: String, Codable, Sendable {
        case equal, different, failed
    }

    /// The length of the common axis: milliseconds until the last event of any era.
    var duration: Double {
        eras.map(\.duration).max() ?? 0.001
    }

    /// The length of a run's axis.
    func duration(of era: TimelineEra) -> Double { hasOwnAxes ? era.duration : duration }
}

/// What is not the same in all eras of a scenario.
public struct TimelineChange: Codable, Sendable, Equatable {
    /// The cause of the difference.
    public var cause: String
    /// The eras whose results differ because of it, by name; none where only the code does.
    public var columns: [String]
    /// What changed and why.
    public var sentence: String
    /// The article, source line or measurement that shows it.
    public var source: String

    /// - Parameters:
    ///   - cause: the cause of the difference.
    ///   - columns: the names of the eras whose results differ.
    ///   - sentence: what changed and why.
    ///   - source: the article, source line or measurement that shows it.
    public init(cause: String, columns: [String] = [], sentence: String, source: String) {
        self.cause = cause
        self.columns = columns
        self.sentence = sentence
        self.source = source
    }
}
