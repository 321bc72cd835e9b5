import CoreFoundation
import EraLessons
import TestSupport

@testable import Exercise01
@testable import Exercise02
@testable import Exercise03
@testable import Exercise04
@testable import Exercise05
@testable import Exercise06
@testable import Exercise07
@testable import Exercise08
@testable import Exercise09
@testable import Exercise10
@testable import Exercise11
@testable import Exercise12
@testable import Exercise13
@testable import Exercise14
@testable import Exercise15
@testable import Exercise16
@testable import Exercise17
@testable import Exercise18
@testable import Exercise19
@testable import Lessons
import SmallPort8Completion
import Synchronization
@testable import Solution01
@testable import Solution02
@testable import Solution03
@testable import Solution04
@testable import Solution05
@testable import Solution06
@testable import Solution07
@testable import Solution08
@testable import Solution09
@testable import Solution10
@testable import Solution11
@testable import Solution12
@testable import Solution13
@testable import Solution14
@testable import Solution15
@testable import Solution16
@testable import Solution17
@testable import Solution18
@testable import Solution19

@Suite("The exercises", .serialized, .timeLimit(.minutes(30)))
struct ExerciseTests {
    /// The check of an exercise on both files, and words of the sentence that the broken one gets.
    struct Judged: Sendable, CustomStringConvertible {
        let lesson: Int
        let broken: @Sendable () -> Verdict
        let solved: @Sendable () -> Verdict
        let sentence: String

        var description: String { "\(lesson)" }
    }

    /// `LESSON_RUNS=20` judges each file so often.
    private static let runs =
        ProcessInfo.processInfo.environment["LESSON_RUNS"].flatMap { Int($0) } ?? 1

    /// Each lesson's exercise, and the last one.
    static let folders = Course.lessons.map(\.exercise) + ["19-small-port"]

    static let all = [
        Judged(
            lesson: 1, broken: { .of(turns: Exercise01.Exercise.self) },
            solved: { .of(turns: Solution01.Exercise.self) }, sentence: "waits for another line"),
        Judged(
            lesson: 2, broken: { .of(threads: Exercise02.Exercise.self) },
            solved: { .of(threads: Solution02.Exercise.self) }, sentence: "8 lines took 8 threads"),
        Judged(
            lesson: 3, broken: { .of(loop: Exercise03.Exercise.self) },
            solved: { .of(loop: Solution03.Exercise.self) }, sentence: "returned at once"),
        Judged(
            lesson: 4, broken: { .of(handOver: Exercise04.Exercise.self) },
            solved: { .of(handOver: Solution04.Exercise.self) }, sentence: "was not woken"),
        Judged(
            lesson: 5, broken: { .of(mode: Exercise05.Exercise.self) },
            solved: { .of(mode: Solution05.Exercise.self) }, sentence: "default mode alone"),
        Judged(
            lesson: 6, broken: { .of(announcement: Exercise06.Exercise.self) },
            solved: { .of(announcement: Solution06.Exercise.self) },
            sentence: "notices a state only by KVO"),
        Judged(
            lesson: 7, broken: { .of(lock: Exercise07.Exercise.self) },
            solved: { .of(lock: Solution07.Exercise.self) }, sentence: "never returned"),
        Judged(
            lesson: 8, broken: { .of(cancel: Exercise08.Exercise.self) },
            solved: { .of(cancel: Solution08.Exercise.self) }, sentence: "The line is open"),
        Judged(
            lesson: 9, broken: { .of(write: Exercise09.Exercise.self) },
            solved: { .of(write: Solution09.Exercise.self) },
            sentence: "call it again with the rest"),
        Judged(
            lesson: 10, broken: { .of(completion: Exercise10.Exercise.self) },
            solved: { .of(completion: Solution10.Exercise.self) }, sentence: "the lock is held"),
        Judged(
            lesson: 11, broken: { .of(pin: Exercise11.Exercise.self) },
            solved: { .of(pin: Solution11.Exercise.self) }, sentence: "has expired is accepted"),
        Judged(
            lesson: 12, broken: { .of(order: Exercise12.Exercise.self) },
            solved: { .of(order: Solution12.Exercise.self) },
            sentence: "was started before the response with the token had come"),
        Judged(
            lesson: 13, broken: { .of(width: Exercise13.Exercise.self) },
            solved: { .of(width: Solution13.Exercise.self) }, sentence: "the file is BA"),
        Judged(
            lesson: 14, broken: { .of(routing: Exercise14.Exercise.self) },
            solved: { .of(routing: Solution14.Exercise.self) }, sentence: "handlers got B and AC"),
        Judged(
            lesson: 15, broken: { .of(lateHandler: Exercise15.Exercise.self) },
            solved: { .of(lateHandler: Solution15.Exercise.self) }, sentence: "was never called"),
        Judged(
            lesson: 16, broken: { .of(sharing: Exercise16.Exercise.self) },
            solved: { .of(sharing: Solution16.Exercise.self) }, sentence: "it is loaded 3 times"),
        Judged(
            lesson: 17, broken: { .of(awaiting: Exercise17.Exercise.self) },
            solved: { .of(awaiting: Solution17.Exercise.self) },
            sentence: "occupies one of the threads"),
        Judged(
            lesson: 18, broken: { .of(traces: Exercise18.Exercise.self) },
            solved: { .of(traces: Solution18.Exercise.self) },
            sentence: "no answer yet for trace 1, 2, 3, 4, 5"),
        Judged(
            lesson: 19, broken: { .of(port: Exercise19.Exercise.self) },
            solved: { .of(port: Solution19.Exercise.self) },
            sentence: "Stage 1 of 4. State 5, the states: the request has ended"),
    ]

    /// Judges all at the same time: most of a check is waiting. But exercise 13, whose queue needs threads of
    /// Dispatch's pool at once, is judged alone: other checks keep some.
    private static func verdicts(
        _ judge: @escaping @Sendable (Judged) -> Verdict
    ) async -> [(judged: Judged, verdict: Verdict)] {
        var verdicts: [(judged: Judged, verdict: Verdict)] = []
        for judged in all where judged.lesson == 13 {
            verdicts.append((judged, await onNewThread { judge(judged) }))
        }
        return await withTaskGroup(of: (Judged, Verdict).self) { group in
            for judged in all where judged.lesson != 13 {
                group.addTask { (judged, await onNewThread { judge(judged) }) }
            }
            return await group.reduce(into: verdicts) { $0.append(($1.0, $1.1)) }
        }
    }

    @Test
    func `a broken file fails with a sentence that says what is missing`() async {
        for _ in 0..<Self.runs {
            for (judged, verdict) in await Self.verdicts({ $0.broken() }) {
                #expect(!verdict.isSolved, "\(judged)")
                let text = verdict.text(.english)
                #expect(text.contains(judged.sentence), "\(judged): \(text)")
                #expect(text.hasPrefix("Stage "), "\(judged): \(text)")
                #expect(2...4 ~= verdict.stage?.count ?? 0, "\(judged)")
                let chinese = verdict.text(.simplifiedChinese)
                #expect(chinese.unicodeScalars.contains { $0.value > 0x4E00 }, "\(judged)")
            }
        }
    }

    @Test
    func `a solution passes`() async {
        for _ in 0..<Self.runs {
            for (judged, verdict) in await Self.verdicts({ $0.solved() }) {
                #expect(verdict.isSolved, "\(judged): \(verdict.text(.english))")
                #expect(verdict.text(.english).hasPrefix("Solved. ") && verdict.reason != nil)
                #expect(verdict.stage == nil, "\(judged)")
            }
        }
    }

    @Test
    func `each lesson's exercise has its files, and is judged here`() throws {
        let folders = Self.folders
        #expect(folders.count == Self.all.count && folders.count == 19)
        #expect(Course.lessons.map(\.number) + [19] == Self.all.map(\.lesson))
        #expect(Course.lessons.first?.check == "check-01")
        let package = try String(
            contentsOf: LessonText.root.appendingPathComponent("Exercises/Package.swift"),
            encoding: .utf8)
        for folder in folders {
            let place = LessonText.root.appendingPathComponent("Exercises/" + folder)
            for file in [
                "Sources/Exercise.swift", "Sources/main.swift", "Solution/Exercise.swift",
                "HINTS.md", "HINTS.zh-Hans.md",
            ] {
                let path = place.appendingPathComponent(file).path
                #expect(FileManager.default.fileExists(atPath: path), "\(path)")
            }
            #expect(package.contains("\"\(folder)\""), "\(folder)")
        }
    }

    // MARK: False solutions

    /// What a reader tries first, since AFNetworking has one.
    private struct AbstractPort: LoopExercise {
        init() {}

        func keepAlive(_ loop: CFRunLoop) {
            RunLoop.current.add(Port(), forMode: .default)
        }
    }

    #if os(Linux)
        @Test
        func `a port that Foundation does not have on Linux is a sentence, and no backtrace`()
            async throws
        {
            let result = await #expect(
                processExitsWith: .exitCode(1), observing: [\.standardOutputContent]
            ) {
                _ = Verdict.of(loop: AbstractPort.self)
            }
            let text = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
            #expect(text.contains("`Port()`") && text.count { $0 == "\n" } < 5)
        }
    #endif

    /// Two guards on two threads; the one that began last ends last.
    private static func overlap() -> Bool {
        signal(SIGILL, SIG_IGN)
        let (isIn, mayEnd, hasEnded) = (Moment(), Moment(), Moment())
        Thread.detachNewThread {
            Trap.guarding {
                isIn.signal()
                _ = mayEnd.wait()
            }
            hasEnded.signal()
        }
        guard isIn.wait() else { return false }
        Trap.guarding {
            mayEnd.signal()
            _ = hasEnded.wait()
        }
        let handler = signal(SIGILL, SIG_DFL)
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    @Test
    func `guards that overlap leave the handlers that were there before them`() async {
        await #expect(processExitsWith: .success) {
            exit(ExerciseTests.overlap() ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test
    func `what looks solved and is not is refused with a sentence that says why`() async {
        #expect(FalseSolution.all.count >= 20)
        var verdicts: [(solution: FalseSolution, verdict: Verdict)] = []
        // As above.
        for solution in FalseSolution.all where solution.lesson == 13 {
            verdicts.append((solution, await onNewThread { solution.judge() }))
        }
        verdicts += await withTaskGroup(of: (FalseSolution, Verdict).self) { group in
            for solution in FalseSolution.all where solution.lesson != 13 {
                group.addTask { (solution, await onNewThread { solution.judge() }) }
            }
            return await group.reduce(into: []) { $0.append(($1.0, $1.1)) }
        }
        #expect(verdicts.count == FalseSolution.all.count)
        for (solution, verdict) in verdicts {
            #expect(!verdict.isSolved, "\(solution)")
            let text = verdict.text(.english)
            #expect(text.contains(solution.sentence), "\(solution): \(text)")
            #expect(text.hasPrefix("Stage "), "\(solution): \(text)")
            let chinese = verdict.text(.simplifiedChinese)
            #expect(chinese.unicodeScalars.contains { $0.value > 0x4E00 }, "\(solution)")
        }
    }

    @Test(arguments: Self.folders, Language.allCases)
    func `an exercise has three hints in each language, which fit into the terminal`(
        _ exercise: String, _ language: Language
    ) throws {
        let hints = try Hints(of: exercise, in: language)
        #expect(hints.all.count == 3)
        for number in 1...3 { #expect(!hints.lines(number).isEmpty) }
        #expect(hints.lines(4).isEmpty)
    }
}
