/// The legend of a page. It explains only the marks that occur in the pictures of this page.
struct Legend {
    /// What the legend explains: a kind of mark, by its class in the style sheet, or one of the signs below.
    struct Sign: Hashable {
        var name: String

        init(_ name: String) {
            self.name = name
        }

        /// The line before a bar, for the time in which the operation waited.
        static let wait = Sign("wait")
        /// A bar whose end was not recorded.
        static let open = Sign("open")
        /// The line at the time when an era had finished.
        static let end = Sign("end")
    }

    private let signs: Set<Sign>

    /// - Parameter signs: the signs that the pictures use.
    init(_ signs: Set<Sign>) {
        self.signs = signs
    }

    /// The legend as an HTML list; empty if the pictures use no signs.
    func html(_ words: PageWords) -> String {
        let groups = Self.groups.compactMap { group -> String? in
            let entries = group.entries.filter { signs.contains($0.sign) }
            guard !entries.isEmpty else { return nil }
            let marks = entries.map { entry in
                "<span class=sign><svg viewBox=\"0 0 24 16\" aria-hidden=true>\(entry.drawing)</svg>"
                    + "\(words.html(entry.text))</span>"
            }
            return "<li><b>\(words.html(group.name))</b>\(marks.joined())"
        }
        return groups.isEmpty ? "" : "<ul>\n\(groups.joined(separator: "\n"))</ul>\n"
    }

    // MARK: The marks

    private struct Entry {
        var sign: Sign
        var drawing: String
        var text: String

        init(_ sign: Sign, _ drawing: String, _ text: String) {
            self.sign = sign
            self.drawing = drawing
            self.text = text
        }

        /// A mark with the class of its sign.
        init(_ style: String, _ path: String, _ text: String) {
            self.init(Sign(style), "<path class=\(style) d=\"\(path)\"/>", text)
        }
    }

    private static let bar = "M1,3h22v10h-22z"
    private static let line = "M1,7.5h22v1h-22z"
    private static let dot = "M12,8h0"

    private static let groups: [(name: String, entries: [Entry])] = [
        (
            "Work",
            [
                Entry("op", bar, "an operation, a task or a request"),
                Entry(
                    .wait, "<path class=op d=\"M12,3h11v10h-11zm0,5h-11\"/>",
                    "the line before it: its wait in the queue"),
                Entry("tr", "M1,5.5h22v5h-22z", "its exchange on the wire"),
                Entry("pa", bar, "paused"),
                Entry("wa", line, "enqueued, and never started"),
            ]
        ),
        (
            "Sockets",
            [
                Entry("so", bar, "open"), Entry("co", bar, "connecting"),
                Entry("ha", bar, "TLS handshake"),
            ]
        ),
        (
            "Server",
            [
                Entry("sc", line, "a connection that it accepted"),
                Entry("sx", bar, "an exchange on it"),
            ]
        ),
        (
            "Threads and queues",
            [
                Entry("as", line, "asleep in the run loop"),
                Entry("cp", "M1,4h22v8h-22z", "on a processor, as measured"),
                Entry("bl", "M1,1h22v14h-22z", "a block runs"),
                Entry("de", bar, "a delegate call"),
                Entry("cb", "M1,5h22v6h-22z", "your block runs"),
                Entry("se", "M1,5h22v6h-22z", "a body is read or made"),
            ]
        ),
        (
            "Locks",
            [
                Entry(
                    Sign("lo"),
                    "<path class=lo d=\"M1,11h22v4h-22z\"/><path class=lo d=\"M7,7h10v8h-10z\"/>",
                    "held, as many times as the steps are high"),
                Entry("lw", "M1,11h22v4h-22z", "a thread waits for it"),
            ]
        ),
        (
            "Moments",
            [
                Entry("c", dot, "your block is called: a result"),
                Entry("f", dot, "your block is called: an error"),
                Entry("p", dot, "your block is called: progress"),
                Entry("q", dot, "enqueued"), Entry("s", dot, "dispatched to a queue"),
                Entry("u", dot, "bytes sent"), Entry("h", dot, "a response's header"),
                Entry("d", dot, "bytes received"), Entry("x", dot, "cancelled"),
                Entry("m", dot, "another mode of the run loop"), Entry("n", dot, "a note"),
            ]
        ),
        (
            "Lines",
            [
                Entry(
                    .open, "<path class=\"bl open\" d=\"\(bar)\"/>",
                    "dashed: no end when the recording stopped"),
                Entry(
                    .end, "<g class=grid><path class=end d=\"M12,0v16\"/></g>",
                    "everything was done"),
            ]
        ),
    ]

    /// All signs that are explained; a test compares them with the kinds of marks.
    static let all = Set(groups.flatMap(\.entries).map(\.sign))
}
