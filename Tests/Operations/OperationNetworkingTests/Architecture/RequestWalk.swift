/// A list of Documentation/Architecture.md that leads one request, or one event of it, through the files.
struct RequestWalk {
    struct Step {
        var number: String
        var file: String
        /// The files that it asks.
        var asked: [String]
        var hops: [String]
    }

    let steps: [Step]
    private let sources: [PackageSources.File]

    /// - Parameter list: what stands in the marks around it.
    init(_ document: String, _ sources: [PackageSources.File], list: String = "request") {
        self.sources = sources
        let lines = document.split(separator: "\n").drop { $0 != "<!-- \(list) -->" }
        steps = lines.prefix { $0 != "<!-- /\(list) -->" }.dropFirst(3).compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
            guard cells.count == 7, let number = cells.first, let hops = cells.dropFirst(5).first
            else { return nil }
            let files = cells.dropFirst(2).map(Self.quoted)
            guard let file = files[0].first else { return nil }
            return Step(
                number: Self.trimmed(number), file: file, asked: files[2],
                hops: Self.trimmed(hops).split(separator: ", then ").map(String.init))
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    private static func quoted(_ cell: Substring) -> [String] {
        cell.matches(of: /`([^`]+)`/).map { String($0.1) }
    }

    // MARK: What is not so

    /// What the list says and the sources do not.
    var faults: [String] {
        let files = steps.flatMap { [$0.file] + $0.asked }
        let twice = Dictionary(grouping: files, by: \.self).filter { $0.value.count > 1 }.keys
        return twice.sorted().map { "\($0) is opened more than once." }
            + steps.indices.flatMap { index in
                faults(asking: steps[index]) + faults(leaving: index)
            }
    }

    /// The one source whose path ends so.
    private func source(_ name: String) -> PackageSources.File? {
        let found = sources.filter { "/\($0.path)".hasSuffix("/\(name).swift") }
        return found.count == 1 ? found.first : nil
    }

    private func faults(asking step: Step) -> [String] {
        guard let file = source(step.file) else { return ["\(step.file) is no source."] }
        return step.asked.compactMap { asked in
            guard let source = source(asked) else { return "\(asked) is no source." }
            let declared = source.text.declarations.filter {
                !$0.isPrivate && ($0.isType || $0.keyword == "func")
            }
            let names = Set(declared.map(\.name))
            let asks = file.text.words.contains { names.contains($0.text) }
            return asks ? nil : "\(step.number): \(step.file) does not ask \(asked)."
        }
    }

    private func faults(leaving index: Int) -> [String] {
        let step = steps[index]
        guard !step.hops.isEmpty else { return ["\(step.number) leads nowhere."] }
        var here = step.file
        var result: [String] = []
        for (place, hop) in step.hops.enumerated() {
            let isLast = place == step.hops.count - 1
            let next = isLast && index + 1 < steps.count ? steps[index + 1] : nil
            let (target, fault) = follow(hop, from: here, to: next)
            if let fault { result.append("\(step.number): \(fault)") }
            here = target ?? here
        }
        return result
    }

    /// A hop is "`name` of 4, made in 5, by `medium`"; all but the name may be left out.
    private func follow(
        _ hop: String, from here: String, to next: Step?
    ) -> (target: String?, fault: String?) {
        let form = /`([^`]+)`(?: of ([0-9]+))?(?:, made in ([0-9]+))?(?:,? by `([^`]+)`)?/
        guard let parts = hop.wholeMatch(of: form) else { return (nil, "\(hop) is no hop.") }
        let (name, medium) = (parts.1, parts.4)
        let target = parts.2.map { file(of: $0) } ?? next?.file
        guard let target, let declarer = source(target), declarer.text.declares(name) else {
            return (target, "\(target ?? "no file") does not declare \(name).")
        }
        if let medium, source(here)?.text.words.contains(where: { $0.text == medium }) != true {
            return (target, "\(here) does not name \(medium).")
        }
        // What a queue or libcurl calls is named by no file, or by the one that made the block.
        let caller = parts.3.map { file(of: $0) } ?? (medium == nil ? here : nil)
        if let caller, source(caller).map({ $0.text.uses(name) }) != true {
            return (target, "\(caller) does not call \(name).")
        }
        return (target, nil)
    }

    private func file(of number: Substring) -> String {
        steps.first { $0.number == number }?.file ?? "step \(number)"
    }
}
