import Foundation

/// The process: it reads the arguments, starts the command and ends with its exit code.
struct Program: Sendable {
    private let arguments: [String]

    /// - Parameter arguments: the process's, with the program's name first.
    init(_ arguments: [String]) {
        self.arguments = Array(arguments.dropFirst())
    }

    /// Starts the command, which ends the process, before or after this has returned.
    func begin() {
        do {
            switch try Command(arguments) {
            case .fetch(let options): try FetchCommand(options: options).begin()
            case .gallery(let options): try GalleryCommand(options: options).begin()
            case .serve(let options): try ServeCommand(options: options).begin()
            case .run: try RunCommand().begin()
            case .compare(let options): try CompareCommand(options: options).begin()
            case .original(let options): try OriginalCommand(options: options).begin()
            case .compareChild(let options): try ChildCommand(options: options).begin()
            case .lesson(let options): try LessonCommand(options: options).begin()
            case .quiz(let options): try QuizCommand(options: options).begin()
            case .migrate(let options): try MigrateCommand(options: options).begin()
            case .completion(let shell): Self.print(CompletionScript.text(for: shell))
            case .man: Self.print(ManualPage.text)
            case .help(let topic): Self.print(HelpText.text(for: topic))
            case .brief(let topic): Self.print(HelpText.brief(topic))
            case .version: Self.print("eras \(ProgramVersion.text)\n")
            }
        } catch {
            switch arguments.first {
            case "fetch": ExitCode.leave(reporting: error, ExitCode(error), advice: .fetchAnew)
            // The other commands have one code for failures.
            case "gallery": ExitCode.leave(reporting: error, advice: .gallery)
            default: ExitCode.leave(reporting: error)
            }
        }
    }

    private static func print(_ text: String) {
        Console.toOutput(text)
        ExitCode.success.leave()
    }
}
