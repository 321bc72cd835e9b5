/// The options of `eras completion`.
struct CompletionOptions: CommandOptions {
    enum Shell: String, CaseIterable {
        case bash
        case zsh
        case fish
    }

    var shells: [String] = []

    static let topic = HelpTopic.completion
    static let help = """
        eras completion - prints a script that completes commands and options

        Examples
          eval "$(eras completion bash)"
          eras completion zsh > "${fpath[1]}/_eras"
          eras completion fish > ~/.config/fish/completions/eras.fish

        Put the first of these examples into ~/.bashrc: every bash that finds
        eras on its PATH then completes commands and options. The Debian
        package installs all three scripts.

        Exit codes
            0  the script was printed
            2  the arguments are wrong

        """
    static let words = Shell.allCases.map(\.rawValue)

    mutating func take(_ operand: String, _ reader: ArgumentReader) { shells.append(operand) }

    func command(_ reader: ArgumentReader) throws(UsageError) -> Command {
        guard shells.count == 1, let shell = Shell(rawValue: shells[0]) else {
            throw reader.usage("completion needs bash, zsh or fish.")
        }
        return .completion(shell)
    }
}

/// Makes the completion scripts. The first word completes to a command or a global option. After it, a word that begins
/// with a hyphen completes to an option of the command. Any other word completes to one of the command's fixed
/// arguments, or to a file name if it has none. In bash and zsh, a word that matches no candidate completes to a file
/// name too.
enum CompletionScript {
    private static let topics = HelpTopic.allCases.filter { $0.options != nil }
    private static let names = topics.map(\.rawValue)

    static func text(for shell: CompletionOptions.Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private static var bash: String {
        """
        _eras() {
            local word=${COMP_WORDS[COMP_CWORD]} words=
            case $COMP_CWORD:${COMP_WORDS[1]}:$word in
        \(cases { "words='\($0)'" })    esac
            COMPREPLY=($(compgen -W "$words" -- "$word"))
        }
        complete -o default -F _eras eras

        """
    }

    private static var zsh: String {
        """
        #compdef eras
        _eras() {
            local -a known
            case $((CURRENT - 1)):${words[2]}:${words[CURRENT]} in
        \(cases { "known=(\($0))" })    esac
            (( ${#known} )) && compadd -- $known || _files
        }
        if [[ $funcstack[1] == _eras ]]; then _eras "$@"; else compdef _eras eras; fi

        """
    }

    /// The branches of a shell's `case`, whose patterns match "word's number:command:word".
    private static func cases(_ assignment: (String) -> String) -> String {
        func line(_ pattern: String, _ words: [String]) -> String {
            words.isEmpty
                ? "" : "    \(pattern)) \(assignment(words.joined(separator: " "))) ;;\n"
        }
        let lines = topics.map { topic in
            let options = HelpText.spellings(of: topic).flatMap { [$0.short, $0.long] }
            return line("*:\(topic.rawValue):-*", options.compactMap(\.self) + ["-h", "--help"])
                + line("*:\(topic.rawValue):*", topic.options?.words ?? [])
        }
        return line("1:*", names + ["help", "--help", "--version"]) + lines.joined()
            + line("*:help:*", names)
    }

    private static var fish: String {
        let commands = names.joined(separator: " ")
        var lines = [
            "complete -c eras -n __fish_use_subcommand -f -a '\(commands) help'",
            "complete -c eras -n __fish_use_subcommand -l version",
            "complete -c eras -s h -l help",
            "complete -c eras -n '__fish_seen_subcommand_from help' -f -a '\(commands)'",
        ]
        for topic in topics {
            let start = "complete -c eras -n '__fish_seen_subcommand_from \(topic.rawValue)'"
            for option in HelpText.spellings(of: topic) {
                let short = option.short.map { " -s \($0.dropFirst())" } ?? ""
                let value = option.placeholder == nil ? "" : " -r"
                lines.append("\(start)\(short) -l \(option.long.dropFirst(2))\(value)")
            }
            if let words = topic.options?.words, !words.isEmpty {
                lines.append("\(start) -f -a '\(words.joined(separator: " "))'")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
