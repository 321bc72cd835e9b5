import EraLessons
import TestSupport

@testable import Lessons

@Suite("The texts of the lessons", .timeLimit(.minutes(1)))
struct LessonTextTests {
    private static let isUpdate = ProcessInfo.processInfo.environment["UPDATE_DOCUMENTATION"] == "1"

    /// The headings of each lesson in each language.
    private static let headings: [Language: [String]] = [
        .english: ["Question", "Experiment", "Explanation", "Source", "Exercise"],
        .simplifiedChinese: ["问题", "实验", "解释", "源码", "练习"],
    ]

    @Test(arguments: Course.lessons.map(\.number), Language.allCases)
    func `a lesson is there with every heading`(_ number: Int, _ language: Language) throws {
        let lesson = try #require(Course.lesson(number))
        let text = try LessonText(of: lesson, in: language)
        #expect(text.parts.map(\.heading) == Self.headings[language])
        #expect(text.title.hasPrefix("\(number). ") && !text.question.isEmpty)
        #expect((2...4).contains(text.answers.count))
        #expect(text.wordCount < 600, "\(text.wordCount) words")
        for part in text.parts {
            #expect(part.text.count > 20, "\(lesson.fileName): \(part.heading)")
        }
        #expect(text.parts[1].text.contains("eras lesson \(number)`"))
        #expect(text.parts[4].text.contains("Exercises/\(lesson.exercise)"))
        #expect(text.parts[4].text.contains("check-\(lesson.exercise.prefix(2))"))
    }

    @Test(arguments: Course.lessons.map(\.number))
    func `both languages have the same answers, names and source`(_ number: Int) throws {
        let lesson = try #require(Course.lesson(number))
        let texts = try Language.allCases.map { try LessonText(of: lesson, in: $0) }
        #expect(Set(texts.map(\.answers.count)).count == 1)
        #expect(Set(texts.map { $0.parts[3].text }).count == 1)
        let variants = texts.map { text in
            Set(text.parts[1].text.matches(of: /`([A-Za-z0-9]+)`/).map { String($0.1) })
        }
        #expect(variants[0] == variants[1])
    }

    @Test
    func `no language has a text that is no lesson`() throws {
        let names = Set(Course.lessons.map { $0.fileName + ".md" })
        for language in Language.allCases {
            let folder = LessonText.root.appendingPathComponent(
                "Documentation/Lessons/\(language.rawValue)")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(Set(files).subtracting(["README.md", "quiz.md"]) == names, "\(language)")
            let list = try String(
                contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
            #expect(list.contains("](quiz.md)"))
            for lesson in Course.lessons {
                let title = try LessonText(of: lesson, in: language).title
                #expect(list.contains("[\(title)](\(lesson.fileName).md)"), "\(language)")
                #expect(list.contains("Exercises/\(lesson.exercise)/HINTS"), "\(language)")
            }
        }
    }

    @Test(arguments: Course.lessons.map(\.number), Language.allCases)
    func `the source that a lesson shows is as it is, and short`(
        _ number: Int, _ language: Language
    ) throws {
        let lesson = try #require(Course.lesson(number))
        let file = LessonText.file(of: lesson, in: language)
        let text = try String(contentsOf: file, encoding: .utf8)
        let filled = SourceExcerpt.fill(text, in: LessonText.root)
        if Self.isUpdate {
            try filled.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(text == filled)
        }
        let shown = filled.matches(of: /(?s)```swift\n(.*?)```/).map(\.1)
        #expect(!shown.isEmpty)
        for excerpt in shown { #expect(excerpt.split(separator: "\n").count < 40) }
        #expect(text.contains(lesson.sources))
        #expect(text.contains("<!-- begin: measured -->\n| |"), "There is no measured table.")
    }

    /// The command must find them where there is no checkout.
    @Test
    func `the program has the texts of lessons and hints in itself`() throws {
        let file = LessonText.root.appendingPathComponent(TextSource.path)
        let texts = try TextSource.texts(in: LessonText.root)
        #expect(texts.count >= 2 * (18 + 19))
        if Self.isUpdate {
            try TextSource.source(texts).write(to: file, atomically: true, encoding: .utf8)
        } else {
            let other = Set(texts.keys).union(LessonTexts.all.keys).filter {
                texts[$0] != LessonTexts.all[$0]
            }
            #expect(other == [], "Run scripts/update-documentation.")
            let source = try String(contentsOf: file, encoding: .utf8)
            let isSame = source == TextSource.source(texts)
            #expect(isSame, "Run scripts/update-documentation.")
        }
        #expect(throws: LessonTextError.self) { try LessonTexts.text("en/19-nothing") }
    }

    @Test
    func `both languages have the same lessons and hints`() throws {
        let keys = try TextSource.texts(in: LessonText.root).keys
        let names = Language.allCases.map { language in
            Set(
                keys.filter { $0.hasPrefix(language.rawValue + "/") }
                    .map { $0.dropFirst(language.rawValue.count + 1) })
        }
        #expect(names[0].symmetricDifference(names[1]) == [])
    }

    @Test
    func `each lesson's picture says where to look, in both languages`() {
        for lesson in Course.lessons {
            let advice = PictureWords.advice(for: lesson.number)
            #expect(advice?.text(.english).hasSuffix(".") == true, "\(lesson.number)")
            #expect(advice?.text(.simplifiedChinese).hasSuffix("。") == true, "\(lesson.number)")
        }
    }

    @Test
    func `an earlier measured table is not shown to a reader who runs the experiment`() {
        let text = LessonText(
            "# 1. A\n## Q\nWhat?\n\n1. one\n   more\n## E\nRun.\n\n<!-- begin: measured -->\n| | a |\n"
                + "<!-- end -->\n")
        #expect(text.lines(of: .experiment) == ["Run."])
        #expect(text.question == "What?" && text.answers == ["one more"])
    }

    @Test
    func `the statements' numbers in a text are not shown`() {
        let text = LessonText(
            "# 1. A\n## Q\nIt waits. <!-- NT-2, defect 3 -->\nIt ends. <!-- HI-1 -->\n")
        #expect(text.lines(of: .question) == ["It waits. It ends."])
    }

    @Test
    func `an excerpt is a declaration with its comment, and follows the file`() throws {
        let source =
            "struct A {\n    /// Goes.\n    static func go() {\n        b()\n    }\n    var x = 1\n}"
        let go = try #require(SourceExcerpt(marker: "declaration a.swift go"))
        let lines = SourceExcerpt.lines(of: go.name, in: source)
        #expect(lines == ["/// Goes.", "static func go() {", "    b()", "}"])
        #expect(SourceExcerpt.lines(of: "g", in: source) == nil)
        #expect(SourceExcerpt(marker: "snippet a.swift") == nil)
    }

    @Test(arguments: Course.lessons.map(\.number), Language.allCases)
    func `a lesson fits into eighty columns`(_ number: Int, _ language: Language) throws {
        let lesson = try #require(Course.lesson(number))
        let text = try LessonText(of: lesson, in: language)
        for part in LessonText.Part.allCases {
            let lines = text.lines(of: part)
            #expect(!lines.isEmpty)
            for line in lines {
                let wide = line.unicodeScalars.count { 0x2E80...0xFFEF ~= $0.value }
                #expect(line.unicodeScalars.count + wide <= 82, "\(line)")
            }
        }
        #expect(text.lines(of: .source).contains { $0.hasPrefix("    ") })
    }

    @Test(
        arguments: [
            ("one two three four five six", ["one two three four", "five six"]),
            ("1. one two three four five\n2. six", ["1. one two three", "   four five", "2. six"]),
            (
                "**On** *Linux*\nhere\n\n```swift\nfunc go() { body() }\n```\n",
                [
                    "On Linux here", "", "    func go() {", "            body() }",
                ]
            ),
            ("一二三四五六七八九十，甲", ["一二三四五六七八九", "十，甲"]), ("运行循环\n休眠", ["运行循环休眠"]),
            ("锁 `NSLock` 是\nNSLock", ["锁 `NSLock` 是", "NSLock"]), ("<!-- end -->", []), ("", []),
            (
                "one\n\n> **two**\n>\n> - three four five\n>   six\n> - seven\n\neight",
                [
                    "one", "", "│ two", "│", "│ - three four five", "│   six", "│ - seven", "",
                    "eight",
                ]
            ),
        ] as [(String, [String])])
    func `prose and code are wrapped, code between its words alone`(
        _ markdown: String, _ lines: [String]
    ) {
        #expect(TerminalText.lines(of: markdown, columns: 20) == lines)
    }

    @Test
    func `the quiz has questions on every lesson, half of them true, each with a reason`() throws {
        let questions = try QuizQuestion.all()
        #expect(questions.count == 24)
        for question in questions {
            #expect(Course.lesson(question.lesson) != nil)
            for language in Language.allCases {
                #expect(question.statement.text(language) != question.reason.text(language))
            }
        }
        #expect(questions.count { $0.isTrue } == 12)
        #expect(Set(questions.map(\.lesson)) == Set(Course.lessons.map(\.number)))
        #expect(Set(questions.map(\.statement)).count == 24)
    }

    @Test
    func `a question that lacks a language is refused`() {
        let text = #"[{"lesson":1,"isTrue":true,"statement":{"en":"a"},"reason":{"en":"b"}}]"#
        #expect(throws: DecodingError.self) { try QuizQuestion.read(Data(text.utf8)) }
    }
}
