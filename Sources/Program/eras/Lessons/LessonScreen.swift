import Lessons

/// Pure: what a lesson shows in a terminal, in lines of 80 columns.
struct LessonScreen {
    let lesson: Lesson
    let text: LessonText
    let language: Language
    /// Whether headings are bold.
    let isBold: Bool

    init(_ lesson: Lesson, _ language: Language, isBold: Bool) throws {
        self.lesson = lesson
        self.language = language
        self.isBold = isBold
        text = try LessonText(of: lesson, in: language)
    }

    /// Title, question and answers.
    var opening: String {
        heading(text.title) + "\n" + part(.question)
    }

    /// What the experiment does.
    var experiment: String { part(.experiment) }

    /// What was measured, and how the guess was.
    func result(_ result: ExperimentResult, guess: Int?) -> String {
        let conclusion: String
        if let answer = result.answer, text.answers.indices.contains(answer - 1) {
            conclusion = LessonWords.comparison(
                guess: guess, answer: answer, text.answers[answer - 1]
            ).text(language)
        } else {
            conclusion = LessonWords.noAnswer.text(language)
        }
        return heading(LessonWords.result.text(language))
            + lines(
                result.lines(in: language) + [""] + TerminalText.lines(of: conclusion, columns: 80))
    }

    /// Why it is so.
    var explanation: String { part(.explanation) }

    /// Source, exercise, and what comes next.
    var closing: String {
        let all = part(.source) + part(.exercise)
        guard lesson.number < 18 else { return all }
        return all + LessonWords.next(lesson.number + 1).text(language) + "\n"
    }

    /// The lessons by number and title.
    ///
    /// - Parameter done: the numbers of those that the reader has done.
    static func list(
        _ lessons: [Lesson], done: Set<Int>, in language: Language
    ) throws -> String {
        let rows = try lessons.map { lesson in
            let title = try LessonText(of: lesson, in: language).title
            let mark = done.contains(lesson.number) ? LessonWords.done.text(language) : ""
            return (lesson.number < 10 ? " " : "") + title + mark + "\n"
        }
        return rows.joined() + "\n" + LessonWords.list.text(language) + "\n"
    }

    // MARK: Parts

    private func part(_ part: LessonText.Part) -> String {
        guard text.parts.indices.contains(part.rawValue) else { return "" }
        return heading(text.parts[part.rawValue].heading) + lines(text.lines(of: part))
    }

    private func heading(_ words: String) -> String {
        isBold ? "\u{1B}[1m\(words)\u{1B}[0m\n" : "\(words)\n"
    }

    private func lines(_ lines: [String]) -> String {
        lines.map { $0 + "\n" }.joined() + "\n"
    }
}
