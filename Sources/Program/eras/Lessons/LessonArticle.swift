import Lessons
import TimelinePage

/// The parts of a lesson's text as HTML, for the page with its timeline.
struct LessonArticle {
    let text: LessonText

    /// The question with its answers, the explanation, the source and the exercise.
    var html: String {
        let answers = text.answers.map { "<li>\(Self.inline($0))" }.joined()
        let parts = [LessonText.Part.explanation, .source, .exercise].compactMap { part in
            text.parts.indices.contains(part.rawValue) ? text.parts[part.rawValue] : nil
        }
        let question = text.parts.first?.heading ?? ""
        return "<article class=article>\n<h2>\(HTMLText.escaped(question))</h2>\n"
            + "<p>\(Self.inline(text.question))</p>\n<ol>\(answers)</ol>\n"
            + parts.map { "<h2>\(HTMLText.escaped($0.heading))</h2>\n" + Self.blocks($0.text) }
            .joined() + "</article>\n"
    }

    /// HTML of paragraphs, lists, quotations, tables and code.
    static func blocks(_ markdown: String) -> String {
        var html = ""
        var open: [String] = []
        var paragraph: [Substring] = []
        func endParagraph() {
            guard !paragraph.isEmpty else { return }
            let isChinese = paragraph.joined().unicodeScalars.contains { $0.value > 0x2E7F }
            html += "<p>" + inline(paragraph.joined(separator: isChinese ? "" : " ")) + "</p>\n"
            paragraph = []
        }
        func close(to depth: Int) {
            endParagraph()
            while open.count > depth { html += "</\(open.removeLast())>\n" }
        }
        func enter(_ tag: String, at depth: Int) {
            if open.count > depth, open[depth] == tag { return }
            close(to: depth)
            html += "<\(tag)>"
            open.append(tag)
        }
        var isCode = false
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if isCode { html += "</code></pre>\n" } else { close(to: 0) }
                if !isCode { html += "<pre><code>" }
                isCode.toggle()
                continue
            }
            if isCode {
                html += HTMLText.escaped(String(line)) + "\n"
                continue
            }
            if line.hasPrefix("<!--") { continue }
            let isQuoted = line.hasPrefix(">")
            let words = isQuoted ? line.dropFirst().drop { $0 == " " } : line
            let depth = isQuoted ? 1 : 0
            if isQuoted { enter("blockquote", at: 0) }
            if !isQuoted, open.first == "blockquote" { close(to: 0) }
            if words.isEmpty {
                close(to: depth)
            } else if let item = words.prefixMatch(of: #/(?:-|\d+\.) /#) {
                endParagraph()
                enter(words.first == "-" ? "ul" : "ol", at: depth)
                endParagraph()
                html += "<li>"
                paragraph = [words[item.range.upperBound...]]
            } else if words.hasPrefix("|") {
                guard words.contains(where: { !"|-: ".contains($0) }) else { continue }
                endParagraph()
                enter("table", at: depth)
                let cells = words.split(separator: "|", omittingEmptySubsequences: false)
                    .dropFirst().dropLast()
                let row = cells.map { "<td>" + inline(trimmed($0)) }
                html += "<tr>" + row.joined()
            } else {
                if open.count > depth, paragraph.isEmpty { close(to: depth) }
                paragraph.append(Substring(trimmed(words)))
            }
        }
        close(to: 0)
        return html
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// HTML of code and emphasis. Of links only the text is kept, because they lead into the checkout.
    static func inline(_ text: String) -> String {
        HTMLText.escaped(text)
            .replacing(/\[([^\]]+)\]\([^)]*\)/) { $0.1 }
            .replacing(/`([^`]+)`/) { "<code>\($0.1)</code>" }
            .replacing(#/\*\*([^*]+)\*\*/#) { "<b>\($0.1)</b>" }
            .replacing(#/\*([^*]+)\*/#) { "<em>\($0.1)</em>" }
    }
}
