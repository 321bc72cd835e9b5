import Foundation
import TestSupport
import Testing

@testable import Exercise03
@testable import Exercise04
@testable import Exercise05
@testable import Exercise06
@testable import Exercise07
@testable import Exercise08
@testable import Exercise10
@testable import Exercise13
@testable import Lessons
@testable import Solution03
@testable import Solution04
@testable import Solution05
@testable import Solution06
@testable import Solution07
@testable import Solution08
@testable import Solution10
@testable import Solution13

@Suite("The exercises", .timeLimit(.minutes(5)))
struct ExerciseTests {
    /// The check of an exercise on both files, and words of the sentence that the broken one gets.
    struct Judged: Sendable, CustomStringConvertible {
        let lesson: Int
        let broken: @Sendable () -> Verdict
        let solved: @Sendable () -> Verdict
        let sentence: String

        var description: String { "\(lesson)" }
    }

    static let all = [
        Judged(
            lesson: 3, broken: { .of(loop: Exercise03.Exercise.self) },
            solved: { .of(loop: Solution03.Exercise.self) }, sentence: "returned at once"),
        Judged(
            lesson: 4, broken: { .of(handOver: Exercise04.Exercise.self) },
            solved: { .of(handOver: Solution04.Exercise.self) }, sentence: "nobody woke"),
        Judged(
            lesson: 5, broken: { .of(mode: Exercise05.Exercise.self) },
            solved: { .of(mode: Solution05.Exercise.self) }, sentence: "default mode alone"),
        Judged(
            lesson: 6, broken: { .of(announcement: Exercise06.Exercise.self) },
            solved: { .of(announcement: Solution06.Exercise.self) },
            sentence: "hears of a state by its announcements"),
        Judged(
            lesson: 7, broken: { .of(lock: Exercise07.Exercise.self) },
            solved: { .of(lock: Solution07.Exercise.self) }, sentence: "never returned"),
        Judged(
            lesson: 8, broken: { .of(cancel: Exercise08.Exercise.self) },
            solved: { .of(cancel: Solution08.Exercise.self) }, sentence: "The line is open"),
        Judged(
            lesson: 10, broken: { .of(completion: Exercise10.Exercise.self) },
            solved: { .of(completion: Solution10.Exercise.self) }, sentence: "the lock is held"),
        Judged(
            lesson: 13, broken: { .of(width: Exercise13.Exercise.self) },
            solved: { .of(width: Solution13.Exercise.self) }, sentence: "the file is BA"),
    ]

    @Test(arguments: all)
    func `the broken file fails with a sentence that says what is missing`(_ judged: Judged) async {
        let verdict = await aside(judged.broken)
        #expect(!verdict.isSolved)
        #expect(verdict.text(.english).contains(judged.sentence), "\(verdict.text(.english))")
        #expect(verdict.text(.simplifiedChinese).unicodeScalars.contains { $0.value > 0x4E00 })
    }

    @Test(arguments: all)
    func `the solution passes`(_ judged: Judged) async {
        let verdict = await aside(judged.solved)
        #expect(verdict.isSolved, "\(verdict.text(.english))")
    }

    @Test
    func `each lesson's exercise has its files, and is judged here`() throws {
        let folders = Lesson.all.compactMap(\.exercise)
        #expect(folders.count == Self.all.count && folders.count >= 6)
        let judged = Lesson.all.filter { $0.exercise != nil }
        #expect(judged.map(\.number) == Self.all.map(\.lesson))
        #expect(judged.first?.check == "check-03")
        let package = try String(
            contentsOf: LessonText.root.appendingPathComponent("Exercises/Package.swift"),
            encoding: .utf8)
        for folder in folders {
            let place = LessonText.root.appendingPathComponent("Exercises/" + folder)
            for file in [
                "Sources/Exercise.swift", "Sources/main.swift", "Solution/Exercise.swift",
                "HINTS.md",
            ] {
                let path = place.appendingPathComponent(file).path
                #expect(FileManager.default.fileExists(atPath: path), "\(path)")
            }
            #expect(package.contains("\"\(folder)\""), "\(folder)")
        }
    }
}
