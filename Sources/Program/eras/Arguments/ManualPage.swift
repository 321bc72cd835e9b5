import Foundation

/// The options of `eras man`.
struct ManOptions: CommandOptions {
    static let topic = HelpTopic.man
    static let help = """
        eras man - prints the manual page, in the form that man reads

        Examples
          eras man | man -l -
          eras man > /usr/local/share/man/man1/eras.1

        It contains eras --help and the help of each command.

        Exit codes
            0  the page was printed
            2  the arguments are wrong

        """

    func command(_ reader: ArgumentReader) -> Command { .man }
}

/// Makes one manual page of the help texts.
enum ManualPage {
    static var text: String {
        let overview = HelpText.text(for: .overview)
        let version = "\(ProgramVersion.date)\" \"eras \(ProgramVersion.text)"
        let name = escaped(title(overview).replacing("eras - ", with: ""))
        var lines = [
            ".TH ERAS 1 \"\(version)\" \"User Commands\"", ".SH NAME", "eras \\- \(name)",
            ".SH SYNOPSIS", ".B eras", ".I COMMAND", "[OPTION]...", ".SH DESCRIPTION",
        ]
        lines += body(overview)
        for topic in HelpTopic.allCases where topic.options != nil {
            let help = HelpText.text(for: topic)
            lines += [".SH ERAS \(topic.rawValue.uppercased())", escaped(title(help))]
            lines += body(help)
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func title(_ help: String) -> String {
        String(help.prefix { $0 != "\n" })
    }

    /// Formats a help text without its first line: headings, paragraphs, options and examples.
    private static func body(_ help: String) -> [String] {
        var lines: [String] = []
        var isKept = false
        var isOption = false
        func keep(_ keeps: Bool) {
            if keeps != isKept { lines.append(keeps ? ".nf" : ".fi") }
            isKept = keeps
        }
        let written = help.components(separatedBy: "\n").dropFirst()
        for (place, line) in zip(written.indices, written) {
            let next = written.indices.contains(place + 1) ? written[place + 1] : ""
            let isDeep = line.hasPrefix("               ")
            if line.isEmpty {
                keep(false)
                if !next.isEmpty { lines.append(".PP") }
                isOption = false
            } else if let option = OptionSpelling(line) {
                keep(false)
                lines += [".TP", name(option)]
                lines.append(escaped(meaning(line)))
                isOption = true
            } else if isOption, isDeep {
                lines.append(escaped(line.trimmingCharacters(in: .whitespaces)))
            } else if line.hasPrefix(" ") {
                if !isKept, isOption { lines.append(".PP") }
                isOption = false
                keep(true)
                lines.append(escaped(line))
            } else {
                keep(false)
                let isHeading = next.hasPrefix(" ") && written[place - 1].isEmpty
                lines.append(isHeading ? ".SS \(escaped(line))" : escaped(line))
            }
        }
        keep(false)
        return lines
    }

    private static func name(_ option: OptionSpelling) -> String {
        let names = [option.short, option.long].compactMap(\.self)
            .map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
        return names + (option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? "")
    }

    /// The explanation after an option's spelling.
    private static func meaning(_ line: String) -> String {
        let text = line.drop { $0 == " " }
        guard let gap = text.firstRange(of: "  ") else { return "" }
        return text[gap.upperBound...].trimmingCharacters(in: .whitespaces)
    }

    private static func escaped(_ text: String) -> String {
        let whole = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return whole.hasPrefix(".") || whole.hasPrefix("'") ? "\\&" + whole : whole
    }
}
