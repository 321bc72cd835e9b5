import Foundation

/// The process: reads the arguments, starts the command, ends with its exit code.
struct Session: Sendable {
    static let version = "0.1.0"

    private let arguments: [String]

    /// - Parameter arguments: the program's name comes first.
    init(_ arguments: [String]) {
        self.arguments = Array(arguments.dropFirst())
    }

    /// Returns at once; the process ends from inside the command.
    func begin() {
        do {
            switch try Command(arguments) {
            case .fetch(let options): try FetchCommand(options).begin()
            case .serve(let options): try ServeCommand(options).begin()
            case .run: try RunCommand().begin()
            case .compare(let options): try CompareCommand(options).begin()
            case .compareChild(let options): try ChildCommand(options).begin()
            case .help(let topic): Self.answer(HelpText.text(for: topic))
            case .version: Self.answer("eras \(Self.version)\n")
            }
        } catch let error as UsageError {
            Console.toError("eras: \(error.sentence)\n\(error.hint)\n")
            ExitCode.usage.leave()
        } catch {
            Console.toError("eras: \(ErrorSentence.text(for: error))\n")
            ExitCode.failed.leave()
        }
    }

    private static func answer(_ text: String) {
        Console.toOutput(text)
        ExitCode.success.leave()
    }
}

/// How the process ends; documented in the help.
enum ExitCode: Int32, Sendable {
    case success = 0
    case failed = 1
    case usage = 2
    case interrupted = 130

    /// Ends the process; no success when something is missing from standard output.
    func leave() -> Never {
        exit(self == .success && Console.hasLostOutput ? Self.failed.rawValue : rawValue)
    }
}
