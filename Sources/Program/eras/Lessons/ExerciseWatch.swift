import CLinux
import Foundation
import Lessons

/// Checks exercises, each again whenever its file has changed, until it is solved.
struct ExerciseWatch {
    let language: Language
    let done: LessonsDone

    /// - Parameter lesson: the lesson of the only exercise; nil for all unsolved ones, in order.
    /// - Throws: `ExerciseError`; Foundation's error where the check cannot be started.
    func run(_ lesson: Lesson?, of course: [Lesson]) throws {
        let open = lesson.map { [$0] } ?? course.filter { !done.solved.contains($0.number) }
        for lesson in open {
            if open.count > 1 { Console.toOutput(LessonWords.exercise(lesson).text(language)) }
            try solve(lesson)
        }
        if lesson == nil { Console.toOutput(LessonWords.allSolved.text(language) + "\n") }
    }

    /// Returns when the exercise is solved.
    private func solve(_ lesson: Lesson) throws {
        let check = ExerciseCheck(lesson: lesson, language: language)
        let file = try check.file()
        while true {
            // Before the check, so that a change meanwhile is not missed.
            let judged = FileState(file)
            guard try check.run() != 0 else { return done.addSolved(lesson.number) }
            Console.toOutput(LessonWords.watching(file.path).text(language) + "\n\n")
            // Reads the state by path, because an editor may replace the file. Waits until two readings
            // are equal, because the file may still be written.
            var (before, now) = (judged, judged)
            while now == judged || now != before || !now.exists {
                usleep(300_000)
                (before, now) = (now, FileState(file))
            }
        }
    }

    /// Attributes that change with the contents of a file.
    private struct FileState: Equatable {
        let exists: Bool
        let size: Int64
        let inode: UInt64
        let seconds: Int64
        let nanoseconds: Int64

        init(_ file: URL) {
            let status = cfile_status_at(file.path)
            exists = status.failure == 0
            size = status.size
            inode = status.inode
            seconds = status.modified_seconds
            nanoseconds = status.modified_nanoseconds
        }
    }
}
