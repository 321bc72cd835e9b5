import Foundation

/// The process: it reads the arguments, starts the command and ends with its exit code.
struct Program: Sendable {
    private let arguments: [String]

    /// - Parameter arguments: the process's, with the program's name first.
    init(_ arguments: [String]) {
        self.arguments = Array(arguments.dropFirst())
    }

    /// Returns at once; the command ends the process.
    func begin() {
        do {
            switch try Command(arguments) {
            case .fetch(let options): try FetchCommand(options).begin()
            case .gallery(let options): try GalleryCommand(options).begin()
            case .serve(let options): try ServeCommand(options).begin()
            case .run: try RunCommand().begin()
            case .compare(let options): try CompareCommand(options).begin()
            case .original(let options): try OriginalCommand(options).begin()
            case .compareChild(let options): try ChildCommand(options).begin()
            case .lesson(let options): try LessonCommand(options).begin()
            case .quiz(let options): try QuizCommand(options).begin()
            case .migrate(let options): try MigrateCommand(options).begin()
            case .completion(let shell): Self.print(CompletionScript.text(for: shell))
            case .man: Self.print(ManualPage.text)
            case .help(let topic): Self.print(HelpText.text(for: topic))
            case .brief(let topic): Self.print(HelpText.brief(topic))
            case .version: Self.print("eras \(ProgramVersion.text)\n")
            }
        } catch let error as UsageError {
            Console.complain(error.sentence, hint: error.hint)
            ExitCode.usage.leave()
        } catch {
            Console.complain(ErrorSentence.text(for: error))
            // The other commands have one code for failures.
            (arguments.first == "fetch" ? ExitCode(error) : .failed).leave()
        }
    }

    private static func print(_ text: String) {
        Console.toOutput(text)
        ExitCode.success.leave()
    }
}
