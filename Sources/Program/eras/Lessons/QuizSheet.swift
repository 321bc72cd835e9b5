import Lessons

/// The quiz's texts in lines of 80 columns.
struct QuizSheet {
    let questions: [QuizQuestion]
    let language: Language

    /// A statement to judge, with its number from 1 on.
    func statement(_ index: Int) -> String {
        lines("\(index + 1). " + questions[index].statement.text(language))
    }

    /// What is true, why, and which lesson shows it.
    ///
    /// - Parameter judgement: the reader's; nil without one.
    func answer(_ index: Int, judgement: Bool?) -> String {
        let question = questions[index]
        let verdict =
            judgement.map { LessonWords.judged($0 == question.isTrue, isTrue: question.isTrue) }
            ?? (question.isTrue ? LessonWords.isTrue : LessonWords.isFalse)
        let words = [verdict, question.reason, LessonWords.lesson(question.lesson)]
        let gap = language == .english ? " " : ""
        let text = words.map { $0.text(language) }.joined(separator: gap)
        return TerminalText.lines(of: text, columns: 77).map { "   \($0)\n" }.joined() + "\n"
    }

    /// How many judgements were right.
    ///
    /// - Parameter judgements: the reader's, by the question's index.
    func score(_ judgements: [Int: Bool]) -> String {
        let wrong = judgements.filter { questions[$0.key].isTrue != $0.value }.keys
        let lessons = Set(wrong.map { questions[$0].lesson }).sorted()
        let words = LessonWords.score(
            judgements.count - wrong.count, of: judgements.count, lessons: lessons)
        return lines(words.text(language))
    }

    private func lines(_ text: String) -> String {
        TerminalText.lines(of: text, columns: 80).map { $0 + "\n" }.joined()
    }
}
