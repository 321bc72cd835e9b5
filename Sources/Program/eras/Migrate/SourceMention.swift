/// A name in a source, in that source's spelling.
struct SourceMention: Equatable {
    enum Name: Hashable {
        case word(String)
        /// A message or a method of Objective-C: `GET:parameters:success:failure:`.
        case message(String)
        /// A call or a function of Swift, with its labels: `get`, `_` and `parameters`.
        case call(String, labels: [String])
        /// A name after a dot.
        case member(String)
        case header(String)
        /// A sign and a word, or a word and its member: `@objc`, `URLCache.shared`.
        case pair(String)
    }

    var name: Name
    var line: Int
    /// The receiver's type, where the source has it at that place.
    var receiver: String?
    /// Whether the source declares it as a method.
    var isMethod = false
}

/// Finds messages, calls and members among the tokens of a source.
struct MentionReader {
    /// An open bracket.
    private struct Frame {
        var opener: String
        var line: Int
        /// The receiver of a message, or the function of a call.
        var receiver: String?
        var isReceiverOver = false
        var labels: [String] = []
        var last: String?
        var questions = 0
        var isItemNew = true
        /// Whether it contains the parameters of a function that the source declares.
        var isMethod = false
    }

    private let tokens: [SourceToken]
    private let isSwift: Bool
    private var frames: [Frame] = []
    /// The number of open brackets by sign.
    private var openFrames: [String: Int] = [:]
    private var mentions: [SourceMention] = []

    static func mentions(in tokens: [SourceToken], isSwift: Bool) -> [SourceMention] {
        var reader = MentionReader(tokens: tokens, isSwift: isSwift)
        for index in tokens.indices { reader.read(index) }
        return reader.mentions
    }

    private init(tokens: [SourceToken], isSwift: Bool) {
        self.tokens = tokens
        self.isSwift = isSwift
    }

    private func token(_ index: Int) -> SourceToken? {
        tokens.indices.contains(index) ? tokens[index] : nil
    }

    private func isSign(_ index: Int, _ text: String) -> Bool {
        token(index)?.isSign(text) == true
    }

    private mutating func read(_ index: Int) {
        let token = tokens[index]
        switch token.kind {
        case .header: add(.header(token.text), token.line)
        case .word:
            let isMember = isSign(index - 1, ".")
            add(isMember ? .member(token.text) : .word(token.text), token.line)
            isSwift ? label(index) : part(index, isMember: isMember)
        case .sign: sign(index)
        }
    }

    private mutating func sign(_ index: Int) {
        let token = tokens[index]
        switch token.text {
        case "(", "[", "{": open(index)
        case ")", "]", "}": close(token.text)
        case "?": if let last = frames.indices.last { frames[last].questions += 1 }
        case ",": newItem()
        case ":" where !isSwift: colon()
        case "-", "+":
            if !isSwift, token.isFirst, isSign(index + 1, "(") { method(index) }
        default: if isSwift { unlabelled() }
        }
    }

    private mutating func add(_ name: SourceMention.Name, _ line: Int, _ receiver: String? = nil) {
        mentions.append(SourceMention(name: name, line: line, receiver: receiver))
    }

    // MARK: - Brackets

    private mutating func open(_ index: Int) {
        let token = tokens[index]
        if isSwift { unlabelled() }
        var frame = Frame(opener: token.text, line: token.line)
        if isSwift, token.text == "(", let before = self.token(index - 1), before.kind == .word {
            frame.receiver = before.text
            frame.line = before.line
            frame.isMethod = self.token(index - 2)?.text == "func"
        }
        // A cast before the receiver.
        if !isSwift, token.text != "[", let last = frames.indices.last,
            frames[last].opener == "[", !frames[last].isReceiverOver
        {
            frames[last].isReceiverOver = true
        }
        openFrames[frame.opener, default: 0] += 1
        frames.append(frame)
    }

    private mutating func close(_ sign: String) {
        // Does not search the open brackets for a sign that closes none.
        guard let opener = ["]": "[", ")": "(", "}": "{"][sign], openFrames[opener] ?? 0 > 0,
            let last = frames.lastIndex(where: { $0.opener == opener })
        else { return }
        let frame = frames[last]
        for closed in frames[last...] { openFrames[closed.opener, default: 0] -= 1 }
        frames.removeSubrange(last...)
        if isSwift, sign == ")", let name = frame.receiver {
            mentions.append(
                SourceMention(
                    name: .call(name, labels: frame.labels), line: frame.line,
                    isMethod: frame.isMethod))
        }
        guard !isSwift, sign == "]" else { return }
        if !frame.labels.isEmpty {
            let message = frame.labels.map { $0 + ":" }.joined()
            add(.message(message), frame.line, frame.receiver)
        } else if let message = frame.last {
            add(.message(message), frame.line, frame.receiver)
        }
        guard let outer = frames.indices.last, !frames[outer].isReceiverOver else { return }
        frames[outer].isReceiverOver = true
        if let receiver = frame.receiver, frame.last != nil || !frame.labels.isEmpty {
            frames[outer].receiver = receiver
        }
    }

    // MARK: - Objective-C

    private mutating func part(_ index: Int, isMember: Bool) {
        guard let last = frames.indices.last, frames[last].opener == "[" else { return }
        let word = tokens[index].text
        if !frames[last].isReceiverOver {
            frames[last].receiver = word
            frames[last].isReceiverOver = true
        } else if isSign(index + 1, ":"), frames[last].questions == 0 {
            if frames[last].labels.isEmpty { frames[last].line = tokens[index].line }
            frames[last].labels.append(word)
        } else if isMember {
            // The receiver is longer than a word, so its first word is not its type.
            if frames[last].labels.isEmpty { frames[last].receiver = nil }
        } else if frames[last].labels.isEmpty {
            frames[last].last = word
        }
    }

    private mutating func colon() {
        guard let last = frames.indices.last, frames[last].questions > 0 else { return }
        frames[last].questions -= 1
    }

    /// Reads a method's declaration or definition.
    private mutating func method(_ index: Int) {
        var labels: [String] = []
        var depth = 0
        var isNameOver = false
        for place in (index + 1)..<min(index + 400, tokens.count) {
            let token = tokens[place]
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            if token.isSign("{") || token.isSign(";") { break }
            guard depth == 0, token.kind == .word else { continue }
            if isSign(place + 1, ":") {
                labels.append(token.text + ":")
            } else if !isNameOver, labels.isEmpty {
                labels.append(token.text)
            }
            isNameOver = true
        }
        guard !labels.isEmpty else { return }
        let message = SourceMention.Name.message(labels.joined())
        mentions.append(
            SourceMention(name: message, line: tokens[index].line, isMethod: true))
    }

    // MARK: - Swift

    private mutating func label(_ index: Int) {
        guard let last = frames.indices.last, frames[last].isItemNew else { return }
        frames[last].isItemNew = false
        let isLabel =
            isSign(index + 1, ":")
            || (token(index + 1)?.kind == .word && isSign(index + 2, ":"))
        frames[last].labels.append(isLabel ? tokens[index].text : "_")
    }

    private mutating func unlabelled() {
        guard let last = frames.indices.last, frames[last].isItemNew else { return }
        frames[last].isItemNew = false
        frames[last].labels.append("_")
    }

    private mutating func newItem() {
        guard let last = frames.indices.last else { return }
        if isSwift { unlabelled() }
        frames[last].isItemNew = true
        frames[last].questions = 0
    }
}
