/// The texts of `eras --help` and `eras COMMAND --help`: examples, options, exit codes.
enum HelpText {
    static func text(for topic: HelpTopic) -> String {
        let lines = written(topic).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { line in
            let needs = OptionSpelling(line).flatMap { topic.options?.needs($0.long) } ?? ""
            return line.replacing(
                "{range}", with: needs.replacing("a whole number from ", with: ""))
        }.joined(separator: "\n")
    }

    /// The help in its short size: examples, and each option with the beginning of its explanation.
    static func brief(_ topic: HelpTopic) -> String {
        guard !spellings(of: topic).isEmpty else { return text(for: topic) }
        var lines = text(for: topic).split(separator: "\n", omittingEmptySubsequences: false)
        let examples = lines.dropFirst(2).firstIndex(of: "") ?? lines.count
        var text = lines[..<examples].joined(separator: "\n") + "\n"
        lines.removeFirst(examples)
        var heading = ""
        for (index, line) in lines.enumerated() {
            guard OptionSpelling(line) != nil else {
                if !line.hasPrefix(" ") { heading = "\n\(line)\n" }
                continue
            }
            let rest = lines[(index + 1)...].prefix { $0.hasPrefix("               ") }
            text += heading + brief(line, rest)
            heading = ""
        }
        return text + "\neras \(topic.rawValue) --help says more.\n"
    }

    /// An option with the first clause of its explanation.
    private static func brief(_ line: Substring, _ rest: ArraySlice<Substring>) -> String {
        let parts = line.firstMatch(of: /^( +\S.*?  +)(\S.*)$/)
        guard let parts else { return line + "\n" }
        let words = [parts.2] + rest.map { $0.drop { $0 == " " } }
        let whole = words.joined(separator: " ")
        let end = ["; ", ". ", ": "].compactMap { whole.firstRange(of: $0)?.lowerBound }
            .filter { end in
                let clause = whole[..<end]
                return clause.count { $0 == "\"" } % 2 == 0
                    && clause.count { $0 == "(" } == clause.count { $0 == ")" }
            }.min()
        return Wrapping.text(
            String(whole[..<(end ?? whole.endIndex)]), after: String(parts.1), indent: 23)
    }

    /// The options in a command's help.
    static func spellings(of topic: HelpTopic) -> [OptionSpelling] {
        written(topic).split(separator: "\n").compactMap { OptionSpelling($0) }
    }

    private static func written(_ topic: HelpTopic) -> String { topic.options?.help ?? overview }

    private static let overview = """
        eras - downloads files; compares and teaches the eras of AFNetworking

        Examples
          eras fetch https://example.com/a.iso https://example.com/b.iso
          eras fetch -j 8 -o downloads --input urls.txt
          eras serve --port 8080
          eras gallery --input http://127.0.0.1:8080/pictures/list.txt
          eras run
          eras compare
          eras lesson 7

        Commands
          fetch        download files, several at once, and resume partial ones
          gallery      download images, and make a page of their thumbnails
          serve        start the server for experiments on 127.0.0.1
          run          fetch a catalogue from an embedded server and check every hash
          compare      run the same scenarios in every era, and show what changed
          lesson       learn the architecture by a guess, an experiment, an explanation
          quiz         judge 24 sentences, true or false
          migrate      list AFNetworking's old names in your sources, and the new ones
          completion   print a script that lets a shell complete commands and options
          man          print the manual page
          help NAME    explain a command, as eras NAME --help does; -h lists its options
          --version    print the version

        Exit codes
            0  all went well
            1  something failed: a file, a hash, a scenario, an output that cannot be
               written; fetch has further codes
            2  the arguments are wrong
          130  interrupted with Ctrl-C

        """
}
