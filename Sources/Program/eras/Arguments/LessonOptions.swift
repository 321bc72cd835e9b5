import EraLessons
import Lessons

/// The options of `eras lesson`.
struct LessonOptions: Equatable {
    enum Action: Equatable {
        case list
        case lesson(Int)
        case check(Int)
        /// A hint of a lesson's exercise, from 1 on.
        case hint(Int, number: Int)
        /// A recorded trace of lesson 18, from 1 on.
        case trace(Int)
        /// The child process that runs an experiment; the help does not list it.
        case experiment(Int, recording: String?)
        /// Writes the measured tables of the documentation; the help does not list it.
        case update(isCheck: Bool)
    }

    /// What the reader expects.
    enum Guess: Equatable {
        case asked
        case none
        case given(Int)
    }

    var action = Action.list
    var guess = Guess.asked
    /// Nil is the environment's.
    var language: Language?
    /// Where the page goes; "-" is standard output.
    var html: String?
    /// Whether the page is shown.
    var opens = false

    static func command(_ arguments: ArraySlice<String>) throws(UsageError) -> Command {
        var reader = ArgumentReader(arguments, topic: .lesson)
        var options = LessonOptions()
        var words: [String] = []
        var (experiment, recording, isUpdate, isCheck) = (Int?.none, String?.none, false, false)
        while let piece = try reader.next() {
            switch piece {
            case .operand(let word): words.append(word)
            case .option("--help"), .option("-h"): return .help(.lesson)
            case .option("--experiment"): experiment = try reader.number(in: 1...18)
            case .option("--recording"): recording = try reader.value("a file")
            case .option("--update"): isUpdate = true
            case .option("--check"): isCheck = true
            case .option(let name): try options.take(name, &reader)
            }
        }
        options.action = try action(words, reader)
        if let experiment { options.action = .experiment(experiment, recording: recording) }
        if isUpdate { options.action = .update(isCheck: isCheck) }
        return .lesson(options)
    }

    private mutating func take(_ name: String, _ reader: inout ArgumentReader) throws(UsageError) {
        switch name {
        case "--no-guess": guess = .none
        case "--guess": guess = .given(try reader.number(in: 1...9))
        case "--language": language = try reader.language()
        case "--html": html = try reader.value("a file for the page, or -")
        case "--open": opens = true
        default: throw reader.unknown(name)
        }
    }

    private static func action(
        _ words: [String], _ reader: ArgumentReader
    ) throws(UsageError) -> Action {
        guard let first = words.first else { return .list }
        let rest = Array(words.dropFirst())
        switch first {
        case "check": return .check(try exercise(rest, "check", atMost: 1, reader).number)
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

    /// The lesson of an exercise, and another number, from 1 on.
    private static func exercise(
        _ words: [String], _ verb: String, atMost count: Int, _ reader: ArgumentReader
    ) throws(UsageError) -> (number: Int, other: Int) {
        guard let word = words.first, words.count <= count else {
            throw reader.usage("\(verb) needs the number of a lesson, such as: \(verb) 7.")
        }
        let lesson = try lesson(word, reader)
        guard words.count == 2 else { return (lesson.number, 1) }
        guard let other = Int(words[1]), 1...9 ~= other else {
            throw reader.usage("\(words[1]) is no number of a hint; they are 1 to 3.")
        }
        return (lesson.number, other)
    }
}

/// The options of `eras quiz`.
struct QuizOptions: Equatable {
    /// Whether the reader is asked.
    var asks = true
    /// Nil is the environment's.
    var language: Language?

    static func command(_ arguments: ArraySlice<String>) throws(UsageError) -> Command {
        var reader = ArgumentReader(arguments, topic: .quiz)
        var options = QuizOptions()
        while let piece = try reader.next() {
            switch piece {
            case .option("--no-guess"): options.asks = false
            case .option("--language"): options.language = try reader.language()
            case .option("--help"), .option("-h"): return .help(.quiz)
            case .option(let option): throw reader.unknown(option)
            case .operand(let text):
                throw reader.usage("quiz takes no argument, but got \"\(text)\".")
            }
        }
        return .quiz(options)
    }
}

extension ArgumentReader {
    /// The name of a language of the lessons.
    fileprivate mutating func language() throws(UsageError) -> Language {
        let names = Language.allCases.map(\.rawValue).joined(separator: " or ")
        let text = try value(names)
        guard let language = Language(rawValue: text) else {
            throw usage("--language needs \(names), not \"\(text)\".")
        }
        return language
    }
}
