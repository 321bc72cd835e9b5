import EraLessons
import EventRecorder
import Lessons
import TestSupport
import TimelinePage

@testable import eras

@Suite("What a lesson shows", .timeLimit(.minutes(2)))
struct LessonTests {
    /// A run of lesson 13, as a child tells it.
    private func result(answer: Int? = 2) throws -> ExperimentResult {
        let answer = answer.map { #","answer":\#($0)"# } ?? ""
        let json = """
            {"variants":["correct","width8"],"facts":[
            {"what":{"en":"the file","zh-Hans":"文件"},"values":["AB","BA"],"varies":false},
            {"what":{"en":"threads","zh-Hans":"线程数"},"values":["1","8"],"varies":true}
            ]\(answer)}
            """
        return try JSONDecoder().decode(ExperimentResult.self, from: Data(json.utf8))
    }

    private func screen(_ number: Int, _ language: Language = .english) throws -> LessonScreen {
        try LessonScreen(try #require(Course.lesson(number)), language, isBold: false)
    }

    @Test func `guess and result are compared in words`() throws {
        let screen = try screen(13)
        let wrong = screen.result(try result(), guess: 1)
        #expect(
            wrong == """
                Result
                the file?
                    correct: AB, width8: BA
                threads?
                    correct: 1, width8: 8

                You guessed 1. The run shows 2: BA


                """)
        #expect(
            screen.result(try result(), guess: 2).contains("You guessed 2, and so it is: BA"))
        #expect(screen.result(try result(), guess: nil).contains("\nThe run shows 2: BA"))
        #expect(screen.result(try result(answer: nil), guess: nil).contains("report it as a bug"))
    }

    @Test func `headings are bold on a terminal alone`() throws {
        let lesson = try #require(Course.lesson(7))
        let bold = try LessonScreen(lesson, .english, isBold: true).opening
        #expect(bold.hasPrefix("\u{1B}[1m7. The recursive lock\u{1B}[0m\n"))
        #expect(try !screen(7).opening.contains("\u{1B}"))
    }

    @Test(arguments: 1...18, Language.allCases)
    func `a lesson fits into eighty columns`(
        _ number: Int, _ language: Language
    ) throws {
        let screen = try screen(number, language)
        let all = screen.opening + screen.experiment + screen.explanation + screen.closing
        for line in all.split(separator: "\n") {
            let wide = line.unicodeScalars.count { 0x2E80...0xFFEF ~= $0.value }
            #expect(line.unicodeScalars.count + wide <= 82, "\(line)")
        }
        let next = number < 18 ? "eras lesson \(number + 1)\n" : "eras quiz"
        #expect(screen.closing.contains(next))
    }

    @Test func `the list has a line for each lesson, in both languages`() throws {
        for language in Language.allCases {
            let list = try LessonScreen.list(Course.lessons, done: [7, 18], in: language)
            let lines = list.split(separator: "\n")
            #expect(lines.count == 19 && list.contains("\n 7. "))
            #expect(lines.allSatisfy { $0.count < 80 })
            #expect(lines.count { $0.hasSuffix(")") || $0.hasSuffix("）") } == 2)
        }
    }

    @Test func `lessons that were done are remembered, in a file that may be missing`() throws {
        let folder = TemporaryFolder()
        let file = folder.file("state/eras/lessons")
        let done = LessonsDone(file: file)
        #expect(done.numbers == [])
        done.add(7)
        done.add(18)
        done.add(7)
        #expect(LessonsDone(file: file).numbers == [7, 18])
        try Data("x\n3\n99\n".utf8).write(to: file)
        #expect(done.numbers == [3])
        LessonsDone(file: URL(fileURLWithPath: "/dev/null/none")).add(1)
    }

    @Test func `a lesson that was only read is no solved exercise, and a solved one is done`() {
        let folder = TemporaryFolder()
        let done = LessonsDone(file: folder.file("eras/lessons"))
        done.add(7)
        #expect(done.numbers == [7] && done.solved == [])
        done.addSolved(8)
        #expect(done.numbers == [7, 8] && done.solved == [8])
    }

    @Test func `the recording of a lesson's run is removed when it is read, also a damaged one`()
        throws
    {
        let page = LessonPageFile(LessonOptions(html: "page.html"))
        let recording = try #require(page.recording)
        try Data("x".utf8).write(to: recording)
        #expect(throws: (any Error).self) { try page.takeRecording() }
        #expect(!FileManager.default.fileExists(atPath: recording.path))
        #expect(try LessonPageFile(LessonOptions()).takeRecording() == nil)
    }

    @Test(arguments: [
        (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/eras/lessons"),
        (["XDG_STATE_HOME": "", "HOME": "/h"], "/h/.local/state/eras/lessons"), ([:], nil),
        (["XDG_STATE_HOME": "s", "HOME": "/h"], "/h/.local/state/eras/lessons"),
        (["HOME": ""], nil),
    ])
    func `the lessons done are stored in the user's state`(
        _ environment: [String: String], _ path: String?
    ) {
        #expect(LessonsDone.file(environment)?.path == path)
    }

    @Test func `a question is asked again until the answer is a choice`() {
        var (lines, said) = (["5", " x", " 2 "], "")
        let answer = Question.ask(
            "? ", choices: [["1"], ["2"]], again: "no",
            read: { lines.isEmpty ? nil : lines.removeFirst() }, say: { said += $0 })
        #expect(answer == .choice(2) && said == "? no\n? no\n? ")
        #expect(
            Question.ask("", choices: [["1"]], again: "", read: { "" }, say: { _ in }) == .skipped)
        #expect(Question.ask("", choices: [["1"]], again: "", read: { nil }, say: { _ in }) == .end)
    }

    @Test func `the quiz counts, and names the lessons of what was wrong`() throws {
        let sheet = QuizSheet(questions: try QuizQuestion.all(), language: .english)
        let first = sheet.questions[0]
        let wrong = sheet.answer(0, judgement: !first.isTrue).replacing("\n  ", with: "")
        #expect(wrong.contains("No, it is false. "))
        #expect(wrong.hasSuffix(" Lesson 3 shows it.\n\n"))
        #expect(sheet.answer(0, judgement: first.isTrue).contains("Right, it is false."))
        #expect(
            sheet.score([0: true, 2: false])
                == "You were right in 1 of 2. Read lesson 3 about the others.\n")
        #expect(sheet.score([:]) == "You were right in 0 of 0.\n")
    }

    // MARK: The page

    @Test func `a recording is cut where a variant begins`() {
        func note(_ text: String, _ time: UInt64) -> Event {
            Event(time: time, text: EventText(text), kind: .note)
        }
        let begin = Event(time: 2, subject: 1, kind: .operation, phase: .begin)
        let recording = Recording(events: [
            Event(time: 1, kind: .enqueued), note("variant correct", 1), begin,
            note("variant noPort", 3), note("variant correct", 4), note("a note", 5),
        ])
        let takes = LessonPage.takes(of: recording)
        #expect(takes.map(\.variant) == ["correct", "correct"])
        #expect(takes[0].part.events == [begin, Event(time: 3, kind: .note)])
        #expect(takes[0].part.startTime == 1)
        #expect(takes[1].part.events.count == 1)
    }

    @Test func `the page has the question, what was measured, and each variant's picture`() throws {
        let lesson = try #require(Course.lesson(13))
        let text = try LessonText(of: lesson, in: .english)
        let recording = Recording(events: [
            Event(time: 1, text: EventText("variant correct"), kind: .note),
            Event(time: 2, subject: 1, kind: .operation, phase: .begin),
            Event(time: 9, subject: 1, kind: .operation, phase: .end),
        ])
        let machine = Machine.current
        let document = LessonPage.document(
            text, of: 13, try result(), recording, in: .english, machine: machine)
        let scenario = try #require(document.scenarios.first)
        #expect(scenario.question.hasPrefix("The server sends a body in two pieces"))
        #expect(scenario.conclusion == "The run shows 2: BA")
        let guessed = LessonPage.document(
            text, of: 13, guess: 1, try result(), recording, in: .english, machine: machine)
        #expect(guessed.scenarios[0].conclusion == "You guessed 1. The run shows 2: BA")
        let era = try #require(scenario.eras.first)
        #expect(era.heading == "correct" && era.tracks.count == 1)
        #expect(era.outcomes.map(\.value) == ["AB", "1"])
        let html = LessonPage.html(
            text, of: 13, try result(), recording, in: .english, machine: machine)
        #expect(html.contains("A delegate queue of one") && html.contains("<svg"))
    }

    @Test func `the page holds the answers, the explanation and the source, in its language`()
        throws
    {
        for language in Language.allCases {
            let text = try LessonText(of: #require(Course.lesson(7)), in: language)
            let html = LessonArticle(text: text).html
            #expect(html.components(separatedBy: "<h2>").count == 5)
            #expect(html.components(separatedBy: "<ol>").count == 2)
            #expect(html.contains("<pre><code>") && html.contains("<blockquote>"))
            #expect(!html.contains("```") && !html.contains("](") && !html.contains("**"))
            for tag in ["p", "ul", "ol", "blockquote", "pre", "code"] {
                let opened = html.components(separatedBy: "<\(tag)>").count
                #expect(opened == html.components(separatedBy: "</\(tag)>").count, "\(tag)")
            }
        }
        #expect(LessonArticle.inline("a `b<c>` *d*") == "a <code>b&lt;c&gt;</code> <em>d</em>")
    }

    @Test func `parts of one variant are numbered, and each has its title and its threads`()
        throws
    {
        let lesson = try #require(Course.lesson(7))
        func lock(_ time: UInt64, _ kind: Event.Kind, _ phase: Event.Phase, by thread: UInt32)
            -> Event
        {
            Event(
                time: time * 1_000_000, subject: 5, value: 1, text: EventText("operation's lock"),
                thread: thread, kind: kind, phase: phase)
        }
        var recording = Recording(events: [
            Event(time: 1, text: EventText("variant plainLock"), kind: .note),
            lock(1, .lockHold, .begin, by: 7), lock(2, .lockWait, .begin, by: 7),
            lock(3, .lockWait, .begin, by: 8), lock(90, .lockWait, .end, by: 8),
            Event(time: 91_000_000, text: EventText("variant plainLock"), kind: .note),
            Event(time: 92_000_000, subject: 1, kind: .operation, phase: .begin),
        ])
        recording.threads = [7: "first", 8: "second"]
        let document = LessonPage.document(
            try LessonText(of: lesson, in: .simplifiedChinese), of: 7, try result(), recording,
            in: .simplifiedChinese, machine: .current)
        #expect(document.language == "zh-Hans")
        let scenario = try #require(document.scenarios.first)
        #expect(scenario.hasOwnAxes && scenario.advice.hasPrefix("锁的那一行"))
        #expect(scenario.eras.map(\.heading) == ["plainLock", "plainLock 2"])
        #expect(scenario.eras[0].title == "持有者不能再次进入的锁")
        let era = scenario.eras[0]
        #expect(era.tracks.map(\.name) == ["first", "second", "operation's lock"])
        #expect(era.tracks.last?.spans.map(\.row) == [0, 1, 2])
        #expect(
            era.waits == [TimelineWait(members: ["first", "operation's lock"], isCircle: true)])
    }

    // MARK: The documents

    @Test func `a table replaces an older one, and values that vary are not compared`() throws {
        let result = try result()
        let old = "a\n<!-- begin: measured -->\nold\n<!-- end -->\nb\n"
        let new = LessonDocuments.fill(old, result, .english)
        #expect(
            new == """
                a
                <!-- begin: measured -->
                | | correct | width8 |
                |---|---:|---:|
                | the file | AB | BA |
                | threads | 1 | 8 |
                <!-- end -->
                b

                """)
        #expect(LessonDocuments.fill("nothing", result, .english) == "nothing")
        let later = new.replacing("| 1 | 8 |", with: "| 2 | 9 |")
        let other = new.replacing("| AB | BA |", with: "| AB | AB |")
        let lasting = { LessonDocuments.lasting($0, result, .english) }
        #expect(lasting(new) == lasting(later) && lasting(new) != lasting(other))
    }
}
