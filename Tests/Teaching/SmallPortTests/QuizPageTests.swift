import EraLessons
import TestSupport

@testable import Lessons

/// The quiz as a page of the documentation, in each language.
@Suite("The page of the quiz", .timeLimit(.minutes(1)))
struct QuizPageTests {
    private static let isUpdate = ProcessInfo.processInfo.environment["UPDATE_DOCUMENTATION"] == "1"

    private static func file(_ language: Language) -> URL {
        LessonText.root.appendingPathComponent("Documentation/Lessons/\(language.rawValue)/quiz.md")
    }

    /// Each question with its answer, which is folded, and the part of the lesson that explains it.
    private static func page(_ language: Language) throws -> String {
        let isEnglish = language == .english
        var page =
            isEnglish
            ? """
            # Quiz

            Twenty-four sentences; each is true or false. `eras quiz` asks them in a terminal. The link behind each
            leads to the page that answers it.

            """
            : """
            # 测验

            二十四个句子，每个或对或错。`eras quiz` 在终端里提问。每句后面的链接指向解答它的页面。

            """
        for (index, question) in try QuizQuestion.all().enumerated() {
            let lesson = try #require(Course.lesson(question.lesson))
            let text = try LessonText(of: lesson, in: language)
            let anchor = text.parts[2].heading.lowercased()
            let verdict =
                question.isTrue
                ? Words("True.", "对。").text(language) : Words("False.", "错。").text(language)
            page += """

                \(index + 1). \(question.statement.text(language))
                   [\(text.title)](\(lesson.fileName).md#\(anchor))
                   <details><summary>\(isEnglish ? "True or false?" : "对还是错？")</summary>\(verdict)
                   \(question.reason.text(language))</details>

                """
        }
        return page
    }

    @Test(arguments: Language.allCases)
    func `each question has a link to the part of a lesson that answers it`(
        _ language: Language
    ) throws {
        let page = try Self.page(language)
        if Self.isUpdate {
            try page.write(to: Self.file(language), atomically: true, encoding: .utf8)
        }
        let text = try String(contentsOf: Self.file(language), encoding: .utf8)
        #expect(text == page, "UPDATE_DOCUMENTATION=1 swift test --filter QuizPageTests")
        let links = text.matches(of: /\]\(([0-9a-z-]+)\.md#([^)]+)\)/)
        #expect(links.count == 24)
        for link in links {
            let lesson = try #require(Course.lessons.first { $0.fileName == link.1 })
            let parts = try LessonText(of: lesson, in: language).parts
            #expect(parts.contains { $0.heading.lowercased() == link.2 }, "\(link.0)")
        }
    }

    /// A screen holds some forty lines of a hundred letters.
    @Test(arguments: Language.allCases)
    func `a question's words are in the first screen of what explains it`(
        _ language: Language
    ) throws {
        for question in try QuizQuestion.all() {
            let lesson = try #require(Course.lesson(question.lesson))
            let lines = try LessonText(of: lesson, in: language).lines(of: .explanation)
            let screen = lines.prefix(40).joined(separator: " ")
            let words = language == .english ? question.keyWords : []
            for word in words { #expect(screen.contains(word), "\(question.lesson): \(word)") }
            #expect(lines.count > 5)
        }
    }
}

extension QuizQuestion {
    /// Words without which the explanation would not answer the question.
    fileprivate var keyWords: [String] {
        switch lesson {
        case 1: ["put it aside"]
        case 2: ["costs memory", "limit"]
        case 3: ["nothing is ever sent to it", "sleeps costs nothing"]
        case 4: ["That is a mark in memory"]
        case 5: ["a scroll on main keeps no request"]
        case 6: ["`start` does not wait"]
        case 7: ["*same*", "race detector"].map { $0.replacing("*", with: "") }
        case 8: ["message"]
        case 9: ["TCP makes the server wait", "The length is known"]
        case 10: ["no socket is read"]
        case 11: ["depends on the mode"]
        case 12: ["check the response", "calls back on an operation queue"]
        case 13: ["order", "the result would be wrong"]
        case 14: ["buffer"]
        case 15: ["finds an open queue"]
        case 16: ["cancelled with the last receipt", "It is the receipt"]
        case 17: ["worst place to block", "What is left?"]
        case 18: ["network is not slow"]
        default: ["There are no words for lesson \(lesson)."]
        }
    }
}
