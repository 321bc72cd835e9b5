/// Pure: the command that the arguments name, with its options.
enum Command: Equatable {
    case fetch(FetchOptions)
    case gallery(GalleryOptions)
    case serve(ServeOptions)
    case run
    case compare(CompareOptions)
    /// The child process that `compare` starts for each scenario and column.
    case compareChild(ChildOptions)
    case lesson(LessonOptions)
    case quiz(QuizOptions)
    case help(HelpTopic)
    case version

    /// - Parameter arguments: without the program's name.
    init(_ arguments: [String]) throws(UsageError) {
        guard let first = arguments.first else {
            throw UsageError(
                sentence: "A command is missing: fetch, gallery, serve, run, compare, lesson "
                    + "or quiz.")
        }
        let rest = arguments.dropFirst()
        switch first {
        case "fetch": self = try FetchOptions.command(rest)
        case "gallery": self = try GalleryOptions.command(rest)
        case "serve": self = try ServeOptions.command(rest)
        case "run": self = try Self.run(rest)
        case "compare": self = try CompareOptions.command(rest)
        case "lesson": self = try LessonOptions.command(rest)
        case "quiz": self = try QuizOptions.command(rest)
        case "help": self = try Self.help(rest)
        case "--help", "-h": self = .help(.overview)
        case "--version": self = .version
        case let option where option.hasPrefix("-"):
            throw UsageError(sentence: "There is no option \(option).")
        default:
            throw UsageError(sentence: "There is no command \"\(first)\".")
        }
    }

    private static func run(_ arguments: ArraySlice<String>) throws(UsageError) -> Command {
        var reader = ArgumentReader(arguments, topic: .run)
        switch try reader.next() {
        case nil: return .run
        case .option("--help"), .option("-h"): return .help(.run)
        case .option(let option): throw reader.unknown(option)
        case .operand(let text): throw reader.usage("run takes no argument, but got \"\(text)\".")
        }
    }

    private static func help(_ arguments: ArraySlice<String>) throws(UsageError) -> Command {
        guard let name = arguments.first else { return .help(.overview) }
        guard let topic = HelpTopic(rawValue: name) else {
            throw UsageError(sentence: "There is no help about \"\(name)\".")
        }
        return .help(topic)
    }
}

/// The options of `eras serve`.
struct ServeOptions: Equatable {
    /// The system chooses a port where it is 0.
    var port: UInt16 = 0
    /// Whether it serves over TLS, with a certificate made at the start.
    var isTLS = false

    static func command(_ arguments: ArraySlice<String>) throws(UsageError) -> Command {
        var reader = ArgumentReader(arguments, topic: .serve)
        var options = ServeOptions()
        while let piece = try reader.next() {
            switch piece {
            case .option("--port"): options.port = UInt16(try reader.number(in: 0...65_535))
            case .option("--tls"): options.isTLS = true
            case .option("--help"), .option("-h"): return .help(.serve)
            case .option(let option): throw reader.unknown(option)
            case .operand(let text):
                throw reader.usage("serve takes no argument, but got \"\(text)\".")
            }
        }
        return .serve(options)
    }
}
