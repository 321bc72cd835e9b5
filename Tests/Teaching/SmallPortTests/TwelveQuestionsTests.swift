import EraLessons
import TestSupport

@testable import Lessons

/// The list of questions in the README of the lessons: each is answered by the page that its link leads to.
@Suite("The twelve questions", .timeLimit(.minutes(1)))
struct TwelveQuestionsTests {
    /// Words without which the question would not be answered.
    private struct Answer {
        let lesson: Int
        let english: [String]
        let chinese: [String]

        func words(_ language: Language) -> [String] {
            language == .english ? english : chinese
        }
    }

    private static let answers = [
        Answer(
            lesson: 2,
            english: ["costs memory", "needs no lock", "A pool is no way out"],
            chinese: ["占内存", "不需要锁", "线程池不是出路"]),
        Answer(
            lesson: 3,
            english: ["`run` returns", "never signalled", "NSMachPort"],
            chinese: ["`run` 返回", "没有人 signal 它", "NSMachPort"]),
        Answer(
            lesson: 5,
            english: [
                "runs its loop in the default mode", "a scroll on main keeps no request",
                "run while a list is scrolled",
            ],
            chinese: ["只在 default mode 里运行", "不会耽误任何请求", "照样运行"]),
        Answer(
            lesson: 4,
            english: [
                "`CFRunLoopWakeUp` wakes it", "source of version 0 that is marked runs",
                "a job does not wake it",
            ],
            chinese: ["唤醒它的是 `CFRunLoopWakeUp`", "带有标记的 source 0", "不会唤醒循环"]),
        Answer(
            lesson: 6,
            english: [
                "`willChangeValue(forKey:)`", "starts dependent operations",
                "`waitUntilFinished`",
            ],
            chinese: ["`willChangeValue(forKey:)`", "启动依赖它的操作", "`waitUntilFinished`"]),
        Answer(
            lesson: 7,
            english: [
                "the same thread that comes back", "must check, move and dispatch in one step",
                "An observer of the change comes back too",
            ],
            chinese: ["同一个线程会再次进入", "作为一步", "观察者也会再次进入"]),
        Answer(
            lesson: 12,
            english: [
                "calls back through a run loop", "calls back on an operation queue", "deprecated",
            ],
            chinese: ["通过 RunLoop 回调", "在操作队列上回调", "deprecated"]),
        Answer(
            lesson: 8,
            english: ["a message to that thread", "waits for `isFinished`"],
            chinese: ["发给这个线程的消息", "要等 `isFinished`"]),
        Answer(
            lesson: 9,
            english: ["TCP makes the server wait", "the process has not grown", "reading on"],
            chinese: ["TCP 让服务器等待", "内存没有增长", "继续读"]),
        Answer(
            lesson: 11,
            english: ["The chain", "in the handshake", "What a pin does not say"],
            chinese: ["证书链", "在握手时检查", "固定值没有说的是"]),
        Answer(
            lesson: 16,
            english: ["comes back for another row", "It is the receipt"],
            chinese: ["回来显示另一行", "是回执"]),
        Answer(
            lesson: 13,
            english: ["width 1 puts them in order", "dispatches your block"],
            chinese: ["并发数 1 能排序", "转交到你指定的队列"]),
    ]

    /// The links of the list, in its order: a lesson and one of its headings.
    private static func links(_ language: Language) throws -> [(file: String, heading: String)] {
        let file = LessonText.root.appendingPathComponent(
            "Documentation/Lessons/\(language.rawValue)/README.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.matches(of: /(?m)^[0-9]+\. \[[^\]]+\]\(([0-9a-z-]+)\.md#([^)]+)\)$/).map {
            (String($0.1), String($0.2))
        }
    }

    @Test(arguments: Language.allCases)
    func `each of the twelve questions has a link to a lesson's explanation`(
        _ language: Language
    ) throws {
        let links = try Self.links(language)
        #expect(links.count == 12 && Self.answers.count == 12)
        for (link, answer) in zip(links, Self.answers) {
            let lesson = try #require(Course.lesson(answer.lesson))
            #expect(link.file == lesson.fileName)
            let parts = try LessonText(of: lesson, in: language).parts
            #expect(link.heading == parts[2].heading.lowercased())
        }
    }

    /// A screen holds forty lines.
    @Test(arguments: Language.allCases)
    func `the first screen of the explanation has what the answer needs`(
        _ language: Language
    ) throws {
        // Chinese lines may break anywhere.
        let gap = language == .english ? " " : ""
        for answer in Self.answers {
            let lesson = try #require(Course.lesson(answer.lesson))
            let lines = try LessonText(of: lesson, in: language).lines(of: .explanation)
            let screen = lines.prefix(40).joined(separator: gap).replacing("  ", with: " ")
            for word in answer.words(language) {
                let exists =
                    language == .english
                    ? screen.contains(word)
                    : screen.replacing(" ", with: "").contains(word.replacing(" ", with: ""))
                #expect(exists, "\(answer.lesson): \(word)")
            }
        }
    }
}
