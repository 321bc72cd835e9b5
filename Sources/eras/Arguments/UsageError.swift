/// What is wrong with the arguments, as one sentence.
struct UsageError: Error, Equatable {
    var sentence: String
    var topic = HelpTopic.overview

    /// Where to read on.
    var hint: String {
        switch topic {
        case .overview: "Try: eras --help"
        case .fetch, .serve, .run, .compare: "Try: eras \(topic.rawValue) --help"
        }
    }
}

/// What the help can be about.
enum HelpTopic: String, CaseIterable {
    case overview
    case fetch
    case serve
    case run
    case compare
}
