/// An error in the arguments, as one sentence.
struct UsageError: Error, Equatable {
    var sentence: String
    var topic = HelpTopic.overview

    /// The command that prints the help on it.
    var hint: String {
        switch topic {
        case .overview: "Try: eras --help"
        case .fetch, .serve, .run, .compare: "Try: eras \(topic.rawValue) --help"
        }
    }
}

/// The topics of the help.
enum HelpTopic: String, CaseIterable {
    case overview
    case fetch
    case serve
    case run
    case compare
}
