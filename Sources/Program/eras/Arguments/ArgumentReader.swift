/// Pure: splits arguments into options and operands.
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
    /// - Throws: when the option before has a value attached and takes none.
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

    /// The first of letters after one dash; the others are its value or, where it takes none, options too.
    private mutating func short(_ letters: some StringProtocol) -> Piece {
        current = "-" + letters.prefix(1)
        attached = letters.count > 1 ? String(letters.dropFirst()) : nil
        return .option(current)
    }

    /// The value of the option that `next` returned last.
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

    /// A whole number within bounds.
    mutating func number(in bounds: ClosedRange<Int>) throws(UsageError) -> Int {
        let meaning = "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        let text = try value(meaning)
        guard let number = Int(text), bounds.contains(number) else {
            throw usage("\(current) needs \(meaning), not \"\(text)\".")
        }
        return number
    }

    /// A positive number of seconds, at most a day.
    ///
    /// - Parameter orNone: whether it may be 0.
    mutating func seconds(orNone: Bool = false) throws(UsageError) -> Double {
        let meaning =
            orNone
            ? "a number of seconds from 0 to 86400" : "a number of seconds above 0 and up to 86400"
        let text = try value(meaning)
        guard let number = Double(text), number > 0 || orNone && number == 0, number <= 86_400
        else {
            throw usage("\(current) needs \(meaning), not \"\(text)\".")
        }
        return number
    }

    /// A positive number of bytes; k, M and G after it are 1024, its square and its cube.
    mutating func size() throws(UsageError) -> Int64 {
        let meaning = "a number of bytes, as 500k or 2M"
        let text = try value(meaning)
        let powers: [Character: Int64] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
        let factor = text.last.flatMap { powers[Character($0.lowercased())] }
        let digits = factor == nil ? text[...] : text.dropLast()
        guard let number = Int64(digits), number > 0 else {
            throw usage("\(current) needs \(meaning), not \"\(text)\".")
        }
        let (size, isTooLarge) = number.multipliedReportingOverflow(by: factor ?? 1)
        guard !isTooLarge, size <= 1 << 50 else {
            throw usage("\(current) needs at most 1048576G, not \"\(text)\".")
        }
        return size
    }

    func unknown(_ option: String) -> UsageError {
        usage("There is no option \(option).")
    }

    func usage(_ sentence: String) -> UsageError {
        UsageError(sentence: sentence, topic: topic)
    }
}
