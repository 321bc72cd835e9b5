/// An error in the arguments, as one sentence.
struct UsageError: Error, Equatable {
    var sentence: String
    var topic = HelpTopic.overview

    /// Names the command that prints the help on it.
    var hint: String {
        topic.options == nil ? "Try: eras --help" : "Try: eras \(topic.rawValue) --help"
    }
}

/// The topics of the help: the overview, and one for each command.
enum HelpTopic: String, CaseIterable {
    case overview
    case fetch
    case gallery
    case serve
    case run
    case compare
    case lesson
    case quiz
    case migrate
    case completion
    case man

    /// The command's options; nil for the overview.
    var options: (any CommandOptions.Type)? {
        let all: [any CommandOptions.Type] = [
            FetchOptions.self, GalleryOptions.self, ServeOptions.self, RunOptions.self,
            CompareOptions.self, LessonOptions.self, QuizOptions.self, MigrateOptions.self,
            CompletionOptions.self, ManOptions.self,
        ]
        return all.first { $0.topic == self }
    }
}
