/// The options of `eras completion`.
struct CompletionOptions: CommandOptions {
    var shells: [String] = []

    static let topic = HelpTopic.completion
    static let help = """
        eras completion - prints a script that lets bash complete commands and options

        Example
          eval "$(eras completion bash)"

        In ~/.bashrc that line does so in each shell, where eras is on the PATH.

        Exit codes
            0  the script was printed
            2  the arguments are wrong

        """
    static let words = ["bash"]

    mutating func take(_ operand: String, _ reader: ArgumentReader) { shells.append(operand) }

    func command(_ reader: ArgumentReader) throws(UsageError) -> Command {
        guard shells == Self.words else { throw reader.usage("completion needs bash.") }
        return .completion
    }

    /// Options where a word begins with a hyphen, else what a command takes, and files otherwise.
    static var script: String {
        let topics = HelpTopic.allCases.filter { $0.options != nil }
        let names = topics.map(\.rawValue)
        let cases = topics.map { topic in
            let options = HelpText.spellings(of: topic).flatMap { [$0.short, $0.long] }
            return line("*:\(topic.rawValue):-*", options.compactMap(\.self) + ["-h", "--help"])
                + line("*:\(topic.rawValue):*", topic.options?.words ?? [])
        }
        return """
            _eras() {
                local word=${COMP_WORDS[COMP_CWORD]} words=
                case $COMP_CWORD:${COMP_WORDS[1]}:$word in
            \(line("1:*", names + ["help", "--help", "--version"]))\
            \(cases.joined())\(line("*:help:*", names))    esac
                COMPREPLY=($(compgen -W "$words" -- "$word"))
            }
            complete -o default -F _eras eras

            """
    }

    private static func line(_ pattern: String, _ words: [String]) -> String {
        words.isEmpty
            ? "" : "    \(pattern)) words='\(words.joined(separator: " "))' ;;\n"
    }
}
