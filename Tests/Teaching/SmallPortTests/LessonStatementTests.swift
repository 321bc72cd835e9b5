import EraLessons
import TestSupport

@testable import Lessons

/// What the lessons say of AFNetworking and Alamofire: each sentence has the number of its statement in
/// `Documentation/Statements.md` behind it, in a comment that no reader sees.
@Suite("What the lessons say of the originals", .timeLimit(.minutes(1)))
struct LessonStatementTests {
    /// A lesson's file, as it is on disk.
    private static func parts(of number: Int, in language: Language) throws -> [[String]] {
        let lesson = try #require(Course.lesson(number))
        let text = try String(
            contentsOf: LessonText.file(of: lesson, in: language), encoding: .utf8)
        return parts(of: text)
    }

    /// The paragraphs of each part, without source and generated marks; an item of a box is one too.
    private static func parts(of markdown: String) -> [[String]] {
        let prose = markdown.replacing(/(?s)```.*?```/, with: "")
        return prose.split(separator: "\n## ").dropFirst().map { part in
            var paragraphs = [""]
            for line in part.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            where !line.hasPrefix("<!-- begin") && !line.hasPrefix("<!-- end") {
                let words = line.drop { $0 == ">" || $0 == " " }
                if words.isEmpty || line.hasPrefix("> - ") { paragraphs.append("") }
                if !words.isEmpty { paragraphs[paragraphs.count - 1] += line + " " }
            }
            return paragraphs.filter { !$0.isEmpty }
        }
    }

    private static func numbers(in paragraph: String) -> [String] {
        paragraph.matches(of: /<!-- ([^>]+) -->/).flatMap {
            $0.1.split(separator: ", ").map(String.init)
        }
    }

    /// Sentences with the comment behind them.
    private static func sentences(of paragraph: String) -> [String] {
        let marked = paragraph.replacing(
            /(?:[.!?]["”)]*(?=\s)|[。！？]["”）]*)(?: *<!-- [^>]+ -->)?/
        ) { $0.0 + "\n" }
        return marked.split(separator: "\n").map(String.init)
    }

    private static let known: Set<String> = {
        let page = LessonText.root.appendingPathComponent("Documentation/Statements.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        return Set(text.matches(of: /<a id="([^"]+)">/).map { String($0.1) })
    }()

    /// Whether a number, such as OP-13 or defect 4, has its row.
    private static func isKnown(_ number: String) -> Bool {
        known.contains(number.replacing(" ", with: "-"))
    }

    @Test(arguments: Course.lessons.map(\.number), Language.allCases)
    func `a sentence about an original has the number of its statement`(
        _ number: Int, _ language: Language
    ) throws {
        let parts = try Self.parts(of: number, in: language)
        for paragraph in parts[2] {
            for number in Self.numbers(in: paragraph) {
                #expect(Self.isKnown(number), "\(number)")
            }
            if paragraph.hasPrefix("> **") { continue }
            if paragraph.hasPrefix("> ") {
                #expect(!Self.numbers(in: paragraph).isEmpty, "\(paragraph)")
            }
            for sentence in Self.sentences(of: paragraph)
            where sentence.contains(/AFNetworking|Alamofire|the original|原版/) {
                let isBox = paragraph.hasPrefix("> ")
                #expect(isBox || !Self.numbers(in: sentence).isEmpty, "\(sentence)")
            }
        }
    }

    @Test(arguments: Course.lessons.map(\.number))
    func `no paragraph is in one language only, and both cite the same`(_ number: Int) throws {
        let (english, chinese) = (
            try Self.parts(of: number, in: .english),
            try Self.parts(of: number, in: .simplifiedChinese)
        )
        #expect(english.map(\.count) == chinese.map(\.count))
        for (one, other) in zip(english.joined(), chinese.joined()) {
            #expect(Self.numbers(in: one) == Self.numbers(in: other), "\(one)")
        }
    }

    @Test(arguments: ["README.md", "quiz.md"])
    func `the pages about the lessons have the same paragraphs in both languages`(
        _ name: String
    ) throws {
        let counts = try Language.allCases.map { language in
            let folder = "Documentation/Lessons/\(language.rawValue)/"
            let text = try String(
                contentsOf: LessonText.root.appendingPathComponent(folder + name), encoding: .utf8)
            return text.matches(of: /\n\n/).count
        }
        #expect(counts[0] == counts[1])
    }

    @Test(arguments: ExerciseTests.folders)
    func `hints have the same paragraphs in both languages`(_ exercise: String) throws {
        let counts = try Language.allCases.map { language in
            try Hints(of: exercise, in: language).all.map { $0.matches(of: /\n\n/).count }
        }
        #expect(counts[0] == counts[1])
    }

    /// The names under which sources and articles speak of what a lesson shows.
    private static let names = [
        1: ["NSURLConnection", "scheduleInRunLoop:forMode:"],
        2: ["networkRequestThread", "dispatch_once"],
        3: ["addPort:forMode:", "NSMachPort"],
        4: ["performSelector:onThread:withObject:waitUntilDone:modes:"],
        5: ["runLoopModes", "UITrackingRunLoopMode", "NSRunLoopCommonModes"],
        6: ["isConcurrent", "isAsynchronous", "willChangeValueForKey:", "KVO"],
        7: ["NSRecursiveLock", "setState:"],
        8: ["cancelConnection", "connection:didFailWithError:"],
        9: ["HTTPBodyStream", "write:maxLength:"],
        10: ["dispatch_group_async", "completionQueue"],
        11: ["willSendRequestForAuthenticationChallenge:", "evaluateServerTrust:forDomain:"],
        12: ["NSURLConnection", "sessionWithConfiguration:delegate:delegateQueue:"],
        13: ["maxConcurrentOperationCount = 1"],
        14: ["af_resume", "mutableTaskDelegatesKeyedByTaskIdentifier"],
        15: ["TaskDelegate.queue"],
        16: ["AFImageDownloadReceipt", "mergedTasks"],
        17: ["dispatch_semaphore_wait"],
        18: ["networkRequestThread"],
    ]

    @Test(arguments: Course.lessons.map(\.number), Language.allCases)
    func `a box names the calls of the original`(_ number: Int, _ language: Language) throws {
        let explanation = try Self.parts(of: number, in: language)[2]
        let boxes = explanation.filter { $0.hasPrefix("> **") }
        #expect(boxes.count == 1)
        let names = try #require(Self.names[number])
        for name in names {
            #expect(explanation.contains { $0.contains(name) }, "\(name)")
        }
    }

    @Test
    func `the quiz has the statements of what it says of an original`() throws {
        let file = LessonText.root.appendingPathComponent("Sources/Teaching/Lessons/quiz.json")
        let questions = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[String: Any]])
        #expect(questions.count == 24)
        for question in questions {
            let reason = try #require(question["reason"] as? [String: String])
            let numbers = question["statements"] as? [String] ?? []
            if reason.values.contains(where: { $0.contains(/AFNetworking|Alamofire/) }) {
                #expect(!numbers.isEmpty, "\(reason)")
            }
            for number in numbers { #expect(Self.isKnown(number), "\(number)") }
        }
    }
}
