import Foundation
import RecordedTraces

/// The command `eras compare --original`, which shows the traces that were recorded of the original libraries.
struct OriginalCommand {
    private let options: CompareOptions

    init(_ options: CompareOptions) {
        self.options = options
    }

    /// Runs the command, and exits.
    ///
    /// - Throws: `UsageError` if no trace has a given name, `DiskError` if the page cannot be written.
    func begin() throws {
        Console.outliveReaders()
        let outputs = OutputFiles(["--html": options.html])
        try outputs.check(topic: .compare)
        let traces = try Self.traces(named: options.scenarios)
        let text = OriginalText(traces: traces)
        if options.isList {
            Console.toOutput(text.list)
        } else if !outputs.useStandardOutput {
            // With a page only a summary, because the page has the traces.
            Console.toOutput(options.html == nil ? text.text : text.summary)
        }
        if let path = options.html {
            try NewFile(path).save(Data(OriginalPage(traces: traces).html.utf8))
            if !outputs.useStandardOutput, !options.isQuiet {
                Console.toError("The page: \(URL(fileURLWithPath: path).path)\n")
            }
        }
        ExitCode.success.leave()
    }

    /// Returns the traces whose names contain at least one of the given texts, or all traces if there are no texts.
    ///
    /// - Throws: `UsageError` if no name contains one of the texts.
    static func traces(named names: [String]) throws -> [RecordedTrace] {
        let all = try RecordedTrace.all()
        for name in names where !all.contains(where: { $0.id.contains(name) }) {
            throw UsageError(
                sentence: "No recorded trace has \"\(name)\" in its name; "
                    + "\"eras compare --original --list\" names them.",
                topic: .compare)
        }
        return all.filter { trace in
            names.isEmpty || names.contains { trace.id.contains($0) }
        }
    }
}
