import EventRecorder
import Foundation
import Lessons

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

    /// - Throws: `DiskError`; an error of the recording's format.
    func write(
        _ text: LessonText, of lesson: Int, guess: Int?, _ result: ExperimentResult,
        in language: Language
    ) throws {
        guard let recording else { return }
        defer { forgetRecording() }
        let events = try Recording(jsonLines: Data(contentsOf: recording))
        try save(
            LessonPage.html(
                text, of: lesson, guess: guess, result, events, in: language, machine: .current),
            in: language)
    }

    /// Writes a page, and opens it with `--open`.
    func save(_ html: String, in language: Language) throws {
        guard let path else { return }
        try NewFile(path).save(Data(html.utf8))
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
