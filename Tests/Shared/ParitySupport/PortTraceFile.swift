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
    /// The places of recorded events of which a detail is not the same.
    package var alike: [Int] {
        events.compactMap { step in
            if case .like(let place, _) = step { return place }
            return nil
        }.sorted()
    }
}

extension TraceValue {
    package init(_ value: GoldenValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .double(let value): self = .double(value)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map(TraceValue.init))
        case .object(let members): self = .object(members.mapValues(TraceValue.init))
        }
    }
}

extension GoldenValue {
    package init(_ value: TraceValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .double(let value): self = .double(value)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map(GoldenValue.init))
        case .object(let members): self = .object(members.mapValues(GoldenValue.init))
        }
    }
}
