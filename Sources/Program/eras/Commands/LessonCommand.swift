import EraLessons
import EventRecorder
import Foundation
import Lessons
import TimelinePage

/// `eras lesson`: asks, runs an experiment, shows its result, and ends the process.
struct LessonCommand: Sendable {
    let options: LessonOptions
    private var language: Language { options.language ?? .ofUser }

    /// - Throws: `UsageError` or `DiskError` for a page that cannot be written.
    func begin() throws {
        if case .experiment(let number, let recording) = options.action {
            guard let lesson = Course.lesson(number) else { ExitCode.usage.leave() }
            return ExperimentChild(lesson: lesson, recording: recording).begin()
        }
        try OutputFiles(["--html": options.html]).check(topic: .lesson)
        // A thread of its own, because it blocks.
        Thread {
            do {
                try run().leave()
            } catch {
                ExitCode.leave(reporting: error)
            }
        }.start()
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
            if code == 0 { LessonsDone.ofUser.addSolved(number) }
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
            // At once, because the reader may end the process in a pause.
            let events = Result { try page.takeRecording() }
            if says {
                Console.toOutput(screen.result(result, guess: guess) + screen.explanation)
                if reads { Question.pause(LessonWords.beforeSource.text(language)) }
                Console.toOutput(screen.closing)
            }
            if reads { LessonsDone.ofUser.add(number) }
            guard let events = try events.get() else { return .success }
            let html = LessonPage.html(
                screen.text, of: number, guess: guess, result, events, in: language,
                machine: .current)
            try page.save(html, in: language)
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

/// Writes the page of a lesson's run, where an option asks for it.
struct LessonPageFile {
    private let path: String?
    private let opens: Bool
    /// The temporary file of the run's recording; nil without a page.
    let recording: URL?

    init(_ options: LessonOptions) {
        opens = options.opens
        let folder = FileManager.default.temporaryDirectory
        let name = "eras-lesson-\(UUID().uuidString.prefix(8))"
        path = options.html ?? (opens ? folder.appendingPathComponent(name + ".html").path : nil)
        recording = path.map { _ in folder.appendingPathComponent(name + ".jsonl") }
    }

    /// Reads and removes the recording; nil without a page.
    ///
    /// - Throws: Foundation's error where it cannot be read; an error of its format.
    func takeRecording() throws -> Recording? {
        guard let recording else { return nil }
        defer { forgetRecording() }
        return try Recording(jsonLines: Data(contentsOf: recording))
    }

    /// Writes a page, and opens it with `--open`.
    func save(_ html: String, in language: Language) throws {
        guard let path else { return }
        try NewFile(path).save(html)
        guard path != NewFile.standardOutput else { return }
        let file = URL(fileURLWithPath: path)
        Console.toError(LessonWords.page.text(language) + file.path + "\n")
        if opens { open(file) }
    }

    func forgetRecording() {
        if let recording { try? FileManager.default.removeItem(at: recording) }
    }

    private func open(_ file: URL) {
        let search = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let programs = ["xdg-open", "open"]
        guard
            let program = programs.lazy.compactMap({ ExerciseCheck.program($0, path: search) })
                .first,
            (try? Process.run(program, arguments: [file.path])) != nil
        else {
            return Console.toError(
                "eras: No program was found that opens a page (xdg-open); open it yourself.\n")
        }
    }
}

/// Shows a recorded trace of exercise 18, as text and as a page.
struct TraceScreen {
    private let number: Int
    private let language: Language

    init(_ number: Int, language: Language) {
        self.number = number
        self.language = language
    }

    /// - Throws: `ExerciseError` without a checkout; `DiskError`.
    func show(_ options: LessonOptions) throws -> ExitCode {
        let current = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        guard let folder = ExerciseCheck.folder(from: current) else {
            throw ExerciseError.noCheckout
        }
        let file = folder.appendingPathComponent("18-traces/Traces/\(number).jsonl")
        guard let data = try? Data(contentsOf: file),
            let recording = try? Recording(jsonLines: data)
        else { throw ExerciseError.noTrace(file.path) }
        if options.html != NewFile.standardOutput {
            Console.toOutput(Self.text(recording))
        }
        let page = TimelinePage.html(
            of: recording, title: "Trace \(number)", heading: "eras lesson trace \(number)")
        try LessonPageFile(options).save(page, in: language)
        return .success
    }

    /// The most important events, each with its time, thread and subject.
    static func text(_ recording: Recording) -> String {
        let shown: [Event.Kind: String] = [
            .enqueued: "in the queue", .operation: "operation", .transfer: "on the wire",
            .runLoopSleep: "asleep", .socket: "socket", .queueSubmit: "block for",
            .queueRun: "block of", .callback: "callback", .delegateCall: "delegate call",
        ]
        let rows = recording.events.compactMap { event -> [String]? in
            guard let what = shown[event.kind] else { return nil }
            let phase = event.phase == .begin ? "begin" : event.phase == .end ? "end" : ""
            let time = Double(event.time &- recording.startTime) / 1_000_000
            let thread = recording.threads[event.thread] ?? "\(event.thread)"
            let text = PrintableText.line(recording.text(of: event))
            return [
                String(format: "%.1f", time), Padding.cut(PrintableText.line(thread), 16), phase,
                Padding.cut("\(what) \(text)", 36), "\(event.subject)",
            ]
        }
        return TextTable(
            headings: ["ms", "thread", "", "event", "subject"], rightAligned: [0, 4], rows: rows
        ).text
    }
}
