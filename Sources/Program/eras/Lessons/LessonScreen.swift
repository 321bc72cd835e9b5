import Lessons

/// A lesson's texts for a terminal of 80 columns.
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

    /// The description of the experiment.
    var experiment: String { part(.experiment) }

    /// The measurements, and whether the guess was right.
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

    /// The explanation of the result.
    var explanation: String { part(.explanation) }

    /// The source, the exercise, and the next lesson.
    var closing: String {
        let all = part(.source) + part(.exercise)
        guard lesson.number < 18 else { return all }
        return all + LessonWords.next(lesson.number + 1).text(language) + "\n"
    }

    /// The list of lessons.
    ///
    /// - Parameter done: the numbers of lessons that the reader has done.
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
