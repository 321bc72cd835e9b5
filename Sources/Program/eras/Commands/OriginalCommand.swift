import Foundation
import RecordedTraces

/// `eras compare --original`: shows recorded traces, and ends the process.
struct OriginalCommand {
    private let options: CompareOptions

    init(_ options: CompareOptions) {
        self.options = options
    }

    /// - Throws: `UsageError` where no trace has the name; `DiskError` where the page cannot be written.
    func begin() throws {
        Console.outliveReaders()
        let outputs = OutputFiles(["--html": options.html])
        try outputs.check(topic: .compare)
        let traces = try Self.traces(named: options.scenarios)
        let text = OriginalText(traces: traces)
        if options.isList {
            Console.toOutput(text.list)
        } else if !outputs.useStandardOutput {
            // The traces are on the page.
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

    /// The traces whose names contain one of these texts; all traces without texts.
    ///
    /// - Throws: `UsageError` for a text that is in no name.
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
