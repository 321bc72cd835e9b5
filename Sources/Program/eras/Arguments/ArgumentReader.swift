/// Splits arguments into options and operands.
///
/// `-j 4`, `-j4`, `--retries 4` and `--retries=4` are options with values, `-OJ` is `-O -J`, `--` ends the
/// options and `-` alone is an operand.
struct ArgumentReader {
    enum Piece: Equatable {
        /// The option's name with its dashes.
        case option(String)
        case operand(String)
    }

    private var rest: ArraySlice<String>
    private let topic: HelpTopic
    private var attached: String?
    private var current = ""
    private var areOptionsOver = false

    init(_ arguments: some Sequence<String>, topic: HelpTopic) {
        rest = Array(arguments)[...]
        self.topic = topic
    }

    /// The next piece, or nil at the end.
    ///
    /// - Throws: `UsageError` where the previous option has a value attached and takes none.
    mutating func next() throws(UsageError) -> Piece? {
        if let attached {
            guard !current.hasPrefix("--") else {
                throw usage("\(current) takes no value, but \"\(attached)\" was given.")
            }
            return short(attached)
        }
        guard let argument = rest.popFirst() else { return nil }
        if areOptionsOver || !argument.hasPrefix("-") || argument == "-" {
            return .operand(argument)
        }
        if argument == "--" {
            areOptionsOver = true
            return try next()
        }
        if argument.hasPrefix("--") {
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            current = String(parts[0])
            attached = parts.count > 1 ? String(parts[1]) : nil
            return .option(current)
        }
        return short(argument.dropFirst())
    }

    /// The first of the letters after one dash. The others are its value, or else options too.
    private mutating func short(_ letters: some StringProtocol) -> Piece {
        current = "-" + letters.prefix(1)
        attached = letters.count > 1 ? String(letters.dropFirst()) : nil
        return .option(current)
    }

    /// The value of the option that `next` has just returned.
    mutating func value(_ meaning: String) throws(UsageError) -> String {
        if let attached {
            self.attached = nil
            return attached
        }
        guard let value = rest.popFirst() else {
            throw usage("\(current) needs \(meaning).")
        }
        return value
    }

    func usage(_ sentence: String) -> UsageError {
        UsageError(sentence: sentence, topic: topic)
    }
}

/// An error in the arguments, as one sentence.
struct UsageError: Error, Equatable {
    var sentence: String
    var topic = HelpTopic.overview

    /// Names the command that prints the help on it.
    var hint: String {
        topic.options == nil ? "Try: eras --help" : "Try: eras \(topic.rawValue) --help"
    }
}

extension ExitCode {
    /// Reports an error and ends the process; a `UsageError` always ends it with `usage`.
    static func leave(
        reporting error: any Error, _ code: ExitCode = .failed, advice: Advice = .none
    ) -> Never {
        guard let error = error as? UsageError else {
            Console.complain(ErrorSentence.text(for: error, advice: advice))
            code.leave()
        }
        Console.complain(error.sentence, hint: error.hint)
        usage.leave()
    }
}
