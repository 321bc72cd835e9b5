/// An error in the arguments, as one sentence.
struct UsageError: Error, Equatable {
    var sentence: String
    var topic = HelpTopic.overview

    /// The command that prints the help on it.
    var hint: String {
        switch topic {
        case .overview: "Try: eras --help"
        case .fetch, .gallery, .serve, .run, .compare, .lesson, .quiz:
            "Try: eras \(topic.rawValue) --help"
        }
    }
}

/// The topics of the help.
enum HelpTopic: String, CaseIterable {
    case overview
    case fetch
    case gallery
    case serve
    case run
    case compare
    case lesson
    case quiz
}
