import EraLessons
import Foundation
import Lessons

/// The options of `eras lesson`.
struct LessonOptions: CommandOptions {
    enum Action: Equatable {
        case list
        case lesson(Int)
        case check(Int)
        /// Checks an exercise whenever its file changes; nil for all that are not solved.
        case watch(Int?)
        /// A hint of a lesson's exercise, from 1 on.
        case hint(Int, number: Int)
        /// A recorded trace of lesson 18, from 1 on.
        case trace(Int)
        /// The child process that runs an experiment; the help does not list it.
        case experiment(Int, recording: String?)
        /// Updates the lessons' documentation; the help does not list it.
        case update(isCheck: Bool)
    }

    /// The reader's guess.
    enum Guess: Equatable {
        case asked
        case none
        case given(Int)
    }

    var action = Action.list
    var guess = Guess.asked
    /// Nil for the environment's.
    var language: Language?
    var html: String?
    var opens = false
    /// The arguments that are no options.
    var words: [String] = []
    /// For the child process: the lesson's number, and the path for its recording.
    var experiment: Int?
    var recording: String?
    /// For updating the documentation.
    var isUpdate = false
    var isCheck = false

    static let topic = HelpTopic.lesson
    static let help = """
        eras lesson - asks for a guess, runs an experiment and explains its result

        Examples
          eras lesson
          eras lesson 7
          eras lesson 12 --open
          eras lesson hint 7
          eras lesson check 7
          eras lesson watch
          eras lesson 3 --no-guess --language zh-Hans

        Without a number it lists the eighteen lessons. With one it asks for a guess,
        runs the experiment in a process of its own, which takes some seconds and is
        killed after 120, shows guess and result, explains, and shows the source. It
        needs no network. At a terminal it waits for Enter before the experiment and
        before the source, and the lesson then counts as done. The list marks what is
        done; $XDG_STATE_HOME/eras/lessons has it, or ~/.local/state/eras/lessons, and
        the file exercises beside it has what is solved.

        Commands
          check N          check your solution of a lesson's exercise: your file in the
                           folder Exercises of a checkout, which it looks for from this
                           folder upwards, and then where this program was built
          watch [N]        the same, and again whenever you save the file, until it is
                           solved; without N all unsolved exercises, one after the other
          hint N [M]       hint M of that exercise, from 1 on (1)
          trace N          show the recorded trace N of exercise 18, 1 to 5

        Options
              --no-guess       ask nothing, for scripts; the default where standard
                               input is no terminal
              --guess N        your guess, instead of a question
              --language NAME  en or zh-Hans; the default is Chinese where LANG begins
                               with zh
              --html FILE      a page with the timeline of the run; "-" is standard
                               output, and the text is left out then
              --open           show that page in the browser

        Exit codes
            0  the experiment ran, or the exercise is solved
            1  the experiment could not run, or the exercise is not solved yet
            2  the arguments are wrong
          130  interrupted with Ctrl-C

        """
    static var table: KeyValuePairs<String, OptionValue<Self>> {
        [
            "--no-guess": .flag(\.guess, .none),
            "--guess": .set(\.guess, .guess),
            "--language": .set(\.language, .language),
            "--html": .set(\.html, .text("a file for the page, or -")),
            "--open": .flag(\.opens),
            "--experiment": .set(\.experiment, .number(1...18)),
            "--recording": .set(\.recording, .text("a file")),
            "--update": .flag(\.isUpdate),
            "--check": .flag(\.isCheck),
        ]
    }
    static var words: [String] { ["check", "watch", "hint", "trace"] }

    mutating func take(_ operand: String, _ reader: ArgumentReader) { words.append(operand) }

    func command(_ reader: ArgumentReader) throws(UsageError) -> Command {
        var options = self
        options.action = try Self.action(words, reader)
        if let experiment { options.action = .experiment(experiment, recording: recording) }
        if isUpdate { options.action = .update(isCheck: isCheck) }
        return .lesson(options)
    }

    private static func action(
        _ words: [String], _ reader: ArgumentReader
    ) throws(UsageError) -> Action {
        guard let first = words.first else { return .list }
        let rest = Array(words.dropFirst())
        switch first {
        case "check": return .check(try exercise(rest, "check", atMost: 1, reader).number)
        case "watch" where rest.isEmpty: return .watch(nil)
        case "watch": return .watch(try exercise(rest, "watch", atMost: 1, reader).number)
        case "hint":
            let (lesson, hint) = try exercise(rest, "hint", atMost: 2, reader)
            return .hint(lesson, number: hint)
        case "trace":
            guard rest.count == 1, let number = Int(rest[0]), 1...5 ~= number else {
                throw reader.usage("trace needs the number of a trace, 1 to 5.")
            }
            return .trace(number)
        default:
            guard rest.isEmpty else { throw reader.usage("lesson takes one number.") }
            return .lesson(try lesson(first, reader).number)
        }
    }

    private static func lesson(
        _ word: String, _ reader: ArgumentReader
    ) throws(UsageError) -> Lesson {
        guard let lesson = Int(word).flatMap(Course.lesson) else {
            throw reader.usage(
                "There is no lesson \"\(word)\"; they are 1 to \(Course.lessons.count), and "
                    + "\"eras lesson\" lists them.")
        }
        return lesson
    }

    /// The lesson of an exercise, and a second number, from 1 on.
    private static func exercise(
        _ words: [String], _ verb: String, atMost count: Int, _ reader: ArgumentReader
    ) throws(UsageError) -> (number: Int, other: Int) {
        guard let word = words.first, words.count <= count else {
            throw reader.usage("\(verb) needs the number of a lesson, such as: \(verb) 7.")
        }
        let lesson = try lesson(word, reader)
        guard words.count == 2 else { return (lesson.number, 1) }
        guard let other = Int(words[1]), 1...3 ~= other else {
            throw reader.usage("\(words[1]) is no number of a hint; they are 1 to 3.")
        }
        return (lesson.number, other)
    }
}

/// The options of `eras quiz`.
struct QuizOptions: CommandOptions {
    /// Whether the reader is asked for a judgement.
    var asks = true
    /// Nil is the environment's.
    var language: Language?

    static let topic = HelpTopic.quiz
    static let help = """
        eras quiz - 24 sentences about the architecture, each true or false

        Examples
          eras quiz
          eras quiz --language zh-Hans
          eras quiz --no-guess

        It asks for t or f, says what is true and why, and which lesson shows it. Enter
        skips a sentence; the end of the input ends the quiz.

        Options
              --no-guess       ask nothing and show the answers; the default where
                               standard input is no terminal
              --language NAME  en or zh-Hans; the default is Chinese where LANG begins
                               with zh

        Exit codes
            0  the quiz was shown
            2  the arguments are wrong
          130  interrupted with Ctrl-C

        """
    static var table: KeyValuePairs<String, OptionValue<Self>> {
        ["--no-guess": .flag(\.asks, false), "--language": .set(\.language, .language)]
    }

    func command(_ reader: ArgumentReader) -> Command { .quiz(self) }
}

extension Language {
    /// That of the environment.
    static var ofUser: Language { current(ProcessInfo.processInfo.environment) }
}

extension ValueKind<LessonOptions.Guess> {
    fileprivate static var guess: Self {
        let number = ValueKind<Int>.number(1...9)
        return Self(number.meaning) { number.read($0).map { .given($0) } }
    }
}

extension ValueKind<Language> {
    fileprivate static var language: Self {
        Self(Language.allCases.map(\.rawValue).joined(separator: " or ")) { Language(rawValue: $0) }
    }
}
