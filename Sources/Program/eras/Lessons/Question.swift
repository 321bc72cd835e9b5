import Foundation

/// Asks the user at the terminal.
enum Question {
    /// The answer to a question.
    enum Answer: Equatable {
        case choice(Int)
        /// An empty line.
        case skipped
        /// The input has ended.
        case end
    }

    /// Waits for a line, whatever it contains.
    static func pause(
        _ prompt: String, read: () -> String? = { readLine() },
        say: (String) -> Void = Console.toOutput
    ) {
        say(prompt)
        if read() == nil { say("\n") }
        say("\n")
    }

    /// Asks until the answer is one of the choices, an empty line or the end of the input.
    ///
    /// - Parameters:
    ///   - prompt: the text before the answer.
    ///   - again: printed after any other line.
    ///   - read: the next line; nil at the end.
    static func ask(
        _ prompt: String, choices: [[String]], again: String,
        read: () -> String? = { readLine() }, say: (String) -> Void = Console.toOutput
    ) -> Answer {
        while true {
            say(prompt)
            guard let line = read() else {
                say("\n")
                return .end
            }
            let word = line.trimmingCharacters(in: .whitespaces).lowercased()
            if word.isEmpty { return .skipped }
            if let index = choices.firstIndex(where: { $0.contains(word) }) {
                return .choice(index + 1)
            }
            say(again + "\n")
        }
    }
}
