import EraLessons
import EventRecorder
import Foundation
import Lessons

/// `eras lesson`: asks, runs an experiment, shows its result, and ends the process.
struct LessonCommand: Sendable {
    private let options: LessonOptions
    private let language: Language

    init(_ options: LessonOptions) {
        self.options = options
        language = options.language ?? .current(ProcessInfo.processInfo.environment)
    }

    /// - Throws: `UsageError` or `DiskError` for a page that cannot be written; `LessonTextError`.
    func begin() throws {
        if case .experiment(let number, let recording) = options.action {
            guard let lesson = Course.lesson(number) else { ExitCode.usage.leave() }
            return ExperimentChild(lesson: lesson, recording: recording).begin()
        }
        try OutputFiles(["--html": options.html]).check(topic: .lesson)
        // A thread of its own, because it blocks.
        Thread { leave() }.start()
    }

    private func leave() -> Never {
        do {
            try run().leave()
        } catch let error as UsageError {
            Console.complain(error.sentence, hint: error.hint)
            ExitCode.usage.leave()
        } catch {
            Console.complain(ErrorSentence.text(for: error))
            ExitCode.failed.leave()
        }
    }

    private func run() throws -> ExitCode {
        switch options.action {
        case .list:
            Console.toOutput(
                try LessonScreen.list(
                    Course.lessons, done: LessonsDone.ofUser.numbers, in: language))
            return .success
        case .lesson(let number): return try show(number)
        case .check(let number):
            guard let lesson = Course.lesson(number) else { return .usage }
            let code = try ExerciseCheck(lesson: lesson, language: language).run()
            if code == 0 { LessonsDone.ofUser.add(number) }
            return code == 0 ? .success : .failed
        case .watch(let number):
            try ExerciseWatch(language: language, done: .ofUser)
                .run(number.flatMap(Course.lesson), of: Course.lessons)
            return .success
        case .hint(let number, let hint): return try showHint(hint, of: number)
        case .trace(let number): return try TraceScreen(number, language: language).show(options)
        case .update(let isCheck): return try update(isCheck)
        case .experiment: return .usage
        }
    }

    // MARK: - A lesson

    private func show(_ number: Int) throws -> ExitCode {
        guard let lesson = Course.lesson(number) else { return .usage }
        let screen = try LessonScreen(lesson, language, isBold: Console.isOutputATerminal)
        let count = screen.text.answers.count
        if case .given(let guess) = options.guess, guess > count {
            throw UsageError(
                sentence: "The lesson has the answers 1 to \(count), not \(guess).", topic: .lesson)
        }
        // The page is written even if the reader of standard output ends.
        if options.html != nil || options.opens { Console.outliveReaders() }
        // If the page goes to standard output, nothing else does.
        let says = options.html != NewFile.standardOutput
        if says { Console.toOutput(screen.opening) }
        let guess = says ? guess(count) : nil
        // At a terminal the text is shown part by part.
        let reads = says && options.guess == .asked && Console.isInputATerminal
        if says { Console.toOutput(screen.experiment) }
        if reads { Question.pause(LessonWords.afterGuess.text(language)) }
        Console.toError(LessonWords.running.text(language) + "\n\n")
        let page = LessonPageFile(options)
        switch ExperimentProcess(lesson: number, recording: page.recording).run() {
        case .failed(let reason):
            page.forgetRecording()
            Console.complain(LessonWords.experimentFailed(reason))
            return .failed
        case .result(let result):
            if says {
                Console.toOutput(screen.result(result, guess: guess) + screen.explanation)
                if reads { Question.pause(LessonWords.beforeSource.text(language)) }
                Console.toOutput(screen.closing)
            }
            if reads { LessonsDone.ofUser.add(number) }
            try page.write(screen.text, of: number, guess: guess, result, in: language)
            return .success
        }
    }

    private func guess(_ count: Int) -> Int? {
        switch options.guess {
        case .none: return nil
        case .given(let guess): return guess
        case .asked:
            guard Console.isInputATerminal else {
                Console.toError(LessonWords.noTerminal.text(language) + "\n\n")
                return nil
            }
            let answer = Question.ask(
                LessonWords.prompt(count).text(language), choices: (1...count).map { ["\($0)"] },
                again: LessonWords.promptAgain(count).text(language))
            Console.toOutput("\n")
            if case .choice(let number) = answer { return number }
            return nil
        }
    }

    private func showHint(_ number: Int, of lesson: Int) throws -> ExitCode {
        guard let exercise = Course.lesson(lesson)?.exercise else { return .usage }
        let hints = try Hints(of: exercise, in: language)
        let lines = hints.lines(number)
        let more =
            number < hints.all.count
            ? "eras lesson hint \(lesson) \(number + 1)" : LessonWords.noMoreHints.text(language)
        Console.toOutput(
            lines.map { $0 + "\n" }.joined() + (lines.isEmpty ? "" : "\n") + more + "\n")
        return .success
    }

    // MARK: - Documents

    private func update(_ isCheck: Bool) throws -> ExitCode {
        let current = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        let changed = try LessonDocuments(root: current, isCheck: isCheck).update()
        for path in changed {
            Console.toError(
                isCheck
                    ? "\(path) is out of date: run scripts/update-documentation\n"
                    : "updated \(path)\n")
        }
        return isCheck && !changed.isEmpty ? .failed : .success
    }
}
