/// One picture of the page: the same work in one era or several, on one time axis.
public struct TimelineScenario: Codable, Sendable, Equatable {
    /// Short, and unique on the page; the picture's link.
    public var id: String
    /// The picture's heading; empty on a page of one picture, which has a title already.
    public var title: String
    /// The question that the picture answers, in one sentence.
    public var question: String
    /// What the picture shows, in one sentence; if empty, it is made from the tracks.
    public var conclusion: String
    /// What to look at in the picture; may be empty.
    public var advice: String
    /// Whether each run has its own scale, so that a short run is visible beside a long one.
    public var hasOwnAxes: Bool
    /// How the results compare; nil where nothing is compared.
    public var verdict: Verdict?
    /// The causes of the differences; empty where the results are equal.
    public var causes: String
    /// Why it failed; empty where it did not fail.
    public var failure: String
    /// What differs between the eras, and why.
    public var changes: [TimelineChange]
    /// The runs, drawn from the top down; the axis is between the first and the second.
    public var eras: [TimelineEra]
    /// One sentence for each era that is missing, which says why.
    public var without: [String]

    /// A picture of these runs. Empty texts are left out.
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

    /// The length of the common axis, in milliseconds: the longest of the eras'.
    var duration: Double {
        eras.map(\.duration).max() ?? 0.001
    }

    /// The length of a run's axis.
    func duration(of era: TimelineEra) -> Double { hasOwnAxes ? era.duration : duration }
}

/// A difference between the eras of a scenario.
public struct TimelineChange: Codable, Sendable, Equatable {
    /// The cause of the difference.
    public var cause: String
    /// The names of the eras whose results differ because of it; none where only the code differs.
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
