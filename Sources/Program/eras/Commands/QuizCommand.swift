import Foundation
import Lessons

/// `eras quiz`: asks for a judgement of each sentence, and ends the process.
struct QuizCommand: Sendable {
    let options: QuizOptions
    private var language: Language { options.language ?? .ofUser }

    /// - Throws: an error of the questions' format.
    func begin() throws {
        let sheet = QuizSheet(questions: try QuizQuestion.all(), language: language)
        let isInteractive = options.asks && Console.isInputATerminal
        if options.asks, !isInteractive {
            Console.toError(LessonWords.quizNoTerminal.text(language) + "\n\n")
        }
        Thread {
            if isInteractive { ask(sheet) } else { show(sheet) }
            ExitCode.success.leave()
        }.start()
    }

    private func show(_ sheet: QuizSheet) {
        for index in sheet.questions.indices {
            Console.toOutput(sheet.statement(index) + sheet.answer(index, judgement: nil))
        }
    }

    private func ask(_ sheet: QuizSheet) {
        var judgements: [Int: Bool] = [:]
        for index in sheet.questions.indices {
            Console.toOutput(sheet.statement(index))
            let answer = Question.ask(
                LessonWords.judge.text(language),
                choices: [["t", "true", "y", "yes", "对"], ["f", "false", "n", "no", "错"]],
                again: LessonWords.judgeAgain.text(language))
            if answer == .end { break }
            if case .choice(let choice) = answer { judgements[index] = choice == 1 }
            Console.toOutput(sheet.answer(index, judgement: judgements[index]))
        }
        Console.toOutput(sheet.score(judgements))
    }
}
