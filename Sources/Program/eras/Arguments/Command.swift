/// The command that the arguments name, with its options.
enum Command: Equatable {
    case fetch(FetchOptions)
    case gallery(GalleryOptions)
    case serve(ServeOptions)
    case run
    case compare(CompareOptions)
    /// `compare --original`.
    case original(CompareOptions)
    /// The child process that `compare` starts for each scenario and column.
    case compareChild(ChildOptions)
    case lesson(LessonOptions)
    case quiz(QuizOptions)
    case migrate(MigrateOptions)
    case completion(CompletionOptions.Shell)
    case man
    case help(HelpTopic)
    /// The help in its short size.
    case brief(HelpTopic)
    case version

    /// - Parameter arguments: without the program's name.
    init(_ arguments: [String]) throws(UsageError) {
        guard let first = arguments.first else {
            throw UsageError(
                sentence: "A command is missing: fetch, gallery, serve, run, compare, lesson, "
                    + "quiz or migrate.")
        }
        let rest = arguments.dropFirst()
        switch first {
        case "help": self = .help(try Self.topic(rest.first))
        case "--help", "-h": self = .help(.overview)
        case "--version": self = .version
        case let option where option.hasPrefix("-"):
            throw UsageError(sentence: "There is no option \(option).")
        default:
            guard let options = HelpTopic(rawValue: first)?.options else {
                throw UsageError(sentence: "There is no command \"\(first)\".")
            }
            self = try options.read(rest)
        }
    }

    private static func topic(_ name: String?) throws(UsageError) -> HelpTopic {
        guard let name else { return .overview }
        guard let topic = HelpTopic(rawValue: name) else {
            throw UsageError(sentence: "There is no help about \"\(name)\".")
        }
        return topic
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
