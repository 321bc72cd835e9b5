import Lessons
import TestSupport

@testable import eras

@Suite("Arguments of lessons and quiz", .timeLimit(.minutes(1)))
struct LessonOptionsTests {
    private func lesson(_ arguments: String...) throws -> LessonOptions {
        guard case .lesson(let options) = try Command(["lesson"] + arguments) else {
            throw UsageError(sentence: "This is no lesson.")
        }
        return options
    }

    @Test func `without a number the lessons are listed`() throws {
        #expect(try lesson() == LessonOptions())
        #expect(try lesson("--language=zh-Hans").language == .simplifiedChinese)
    }

    @Test func `every option is understood`() throws {
        let options = try lesson(
            "7", "--no-guess", "--language", "en", "--html", "p.html", "--open")
        #expect(options.action == .lesson(7) && options.guess == .none && options.opens)
        #expect(options.language == .english && options.html == "p.html")
        #expect(try lesson("3", "--guess=2").guess == .given(2))
        #expect(try lesson("check", "7").action == .check(7))
        #expect(try lesson("watch").action == .watch(nil))
        #expect(try lesson("watch", "7").action == .watch(7))
        #expect(try lesson("hint", "7").action == .hint(7, number: 1))
        #expect(try lesson("hint", "7", "3").action == .hint(7, number: 3))
        #expect(try lesson("trace", "5").action == .trace(5))
        #expect(try lesson("--experiment", "7").action == .experiment(7, recording: nil))
        #expect(try lesson("--update", "--check").action == .update(isCheck: true))
    }

    @Test(arguments: [
        (
            ["lesson", "19"],
            "There is no lesson \"19\"; they are 1 to 18, and \"eras lesson\" lists them."
        ),
        (
            ["lesson", "seven"],
            "There is no lesson \"seven\"; they are 1 to 18, and \"eras lesson\" lists them."
        ),
        (["lesson", "1", "2"], "lesson takes one number."),
        (["lesson", "check"], "check needs the number of a lesson, such as: check 7."),
        (["lesson", "hint", "7", "4"], "4 is no number of a hint; they are 1 to 3."),
        (["lesson", "hint", "7", "x"], "x is no number of a hint; they are 1 to 3."),
        (["lesson", "trace", "6"], "trace needs the number of a trace, 1 to 5."),
        (
            ["lesson", "7", "--language", "de"],
            "--language needs en or zh-Hans, not \"de\"."
        ),
        (["lesson", "--guess", "x"], "--guess needs a whole number from 1 to 9, not \"x\"."),
        (["lesson", "--nope"], "There is no option --nope."),
        (["quiz", "7"], "quiz takes no argument, but got \"7\"."),
    ])
    func `a mistake is reported in one sentence, with the help that fits`(
        _ arguments: [String], _ sentence: String
    ) {
        #expect { try Command(arguments) } throws: { error in
            let error = error as? UsageError
            return error?.sentence == sentence && error?.hint == "Try: eras \(arguments[0]) --help"
        }
    }

    @Test func `the quiz may ask nothing, in a language`() throws {
        let expected = QuizOptions(asks: false, language: .simplifiedChinese)
        #expect(try Command(["quiz", "--no-guess", "--language", "zh-Hans"]) == .quiz(expected))
        #expect(try Command(["quiz", "--help"]) == .help(.quiz))
        #expect(try Command(["lesson", "7", "-h"]) == .brief(.lesson))
    }
}
