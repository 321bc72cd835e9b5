package import Foundation
package import RecordedTraces

/// The file of what the port does in the scenarios of an original: `eras compare --original` shows
/// it, and the tests that play the scenarios write it.
package struct PortTraceFile {
    private let original: Original
    private let root: URL

    /// - Parameter root: the package's folder.
    package init(of original: Original, in root: URL) {
        self.original = original
        self.root = root
    }

    /// Whether `UPDATE_DOCUMENTATION` asks for it.
    package static var isWritten: Bool {
        ProcessInfo.processInfo.environment["UPDATE_DOCUMENTATION"] == "1"
    }

    /// Writes the traces, and a line into the file that a build looks at.
    ///
    /// - Throws: what Foundation throws where a file cannot be read or written.
    package func write(_ traces: [PortTrace]) throws {
        let folder = root.appendingPathComponent(Original.folder)
        let text = try PortTrace.text(of: traces)
        try Data(text.utf8).write(to: folder.appendingPathComponent("port-of-" + original.file))
        let assembler = folder.deletingLastPathComponent().appendingPathComponent("traces.S")
        let mark = "// Runs of \(original.rawValue): "
        let sum = text.utf8.reduce(UInt64(5381)) { ($0 << 5) &+ $0 &+ UInt64($1) }
        let lines = try String(contentsOf: assembler, encoding: .utf8)
            .components(separatedBy: "\n")
            .map { $0.hasPrefix(mark) ? mark + String(sum, radix: 16) : $0 }
        try Data(lines.joined(separator: "\n").utf8).write(to: assembler)
    }
}

extension PortTrace {
    /// What differs from the trace as it was played, in words, but for its events.
    package func differences(from played: PortTrace) -> [String] {
        var lines: [String] = []
        if alike != played.alike { lines.append("Alike are \(played.alike), not \(alike).") }
        if verdict != played.verdict { lines.append("It is \(played.verdict), not \(verdict).") }
        if (statement, reason) != (played.statement, played.reason) {
            lines.append("The reason is \(played.statement): \(played.reason)")
        }
        if (unseen, states) != (played.unseen, played.states) {
            lines.append("Unseen are \(played.unseen), other are \(played.states).")
        }
        return lines
    }

    /// The places of recorded events of which a detail is not the same.
    private var alike: [Int] {
        events.compactMap { step in
            if case .like(let place, _) = step { return place }
            return nil
        }.sorted()
    }
}
