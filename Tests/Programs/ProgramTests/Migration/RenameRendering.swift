import Foundation

/// What is written from `renames.json`.
extension RenameList {
    static let sourcePath = "Sources/Operations/AFNetworking/OldNames.swift"
    static let pagePath = "Documentation/Migration/Names.md"
    static let tableStart = "<!-- renames: begin, written by scripts/update-renames -->"
    static let tableEnd = "<!-- renames: end -->"

    // MARK: - For the scan

    static let scanNamesPath = "Sources/Program/eras/Migrate/MigrationNames.swift"
    static let scanRowsPath = "Sources/Program/eras/Migrate/MigrationRows.swift"
    static let scanned = [
        ("MIGRATION.md", "What does not compile"),
        ("MIGRATION.md", "What compiles and differs"),
        ("Documentation/Migration/Sessions.md", "What compiles and differs"),
        ("Documentation/Migration/Names.md", "Apple's own types"),
    ]

    /// The rows of the first table below a heading.
    static func rows(below heading: String, of page: String) -> String {
        let section = page.components(separatedBy: "\n## \(heading)\n").dropFirst().first ?? ""
        let own = section.components(separatedBy: "\n## ")[0]
        return own.split(separator: "\n").drop { !$0.hasPrefix("|---") }.dropFirst()
            .prefix { $0.hasPrefix("| ") }.joined(separator: "\n")
    }

    /// The names that `eras migrate` knows, as a source.
    var scanNames: String {
        let lines = renames.map { row in
            [row.kind.rawValue, row.of ?? "", row.objc, row.old, row.new ?? "", row.note ?? ""]
                .joined(separator: "|")
        }
        return Self.scanned(
            "A name a line: kind, old type, Objective-C's spelling, Swift's, the new name, a note.",
            from: Self.path, as: "MigrationNames", lines.joined(separator: "\n"))
    }

    /// The rows that it knows.
    static func scanRows(_ rows: String) -> String {
        scanned(
            "Rows of tables; a line that begins with # has the page and the heading of those that "
                + "follow.",
            from: "the tables of MIGRATION.md and Documentation/Migration", as: "MigrationRows",
            rows)
    }

    private static func scanned(
        _ comment: String, from source: String, as name: String, _ lines: String
    ) -> String {
        """
        // swift-format-ignore-file
        // Written from \(source) by scripts/update-renames; change that.

        /// \(comment)
        enum \(name) {
            static let text = #\"""
        \(lines)
        \"""#
        }

        """
    }

    // MARK: - Source

    /// The aliases and constants: whatever needs no thought.
    var source: String {
        var parts = [
            """
            // Written from \(Self.path) by scripts/update-renames; change that file.

            public import CurlConnection
            public import Foundation
            public import NetworkImages
            public import OperationNetworking
            public import SessionEra
            """
        ]
        parts += renames.filter { $0.kind == .type }.compactMap { row in
            row.new.map { deprecated($0, "public typealias \(row.old) = \($0)") }
        }
        parts += renames.filter { $0.kind == .constant }.compactMap { row in
            row.new.map { new in
                deprecated(new, "public var \(row.old): String {\n    \(new)\n}")
            }
        }
        let notifications = renames.filter { $0.kind == .notification }
        let names = notifications.compactMap { row in
            row.new.map { new in
                deprecated(new, "public static var \(row.old): Notification.Name {\n    .\(new)\n}")
                    .split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
            }
        }
        parts.append("extension Notification.Name {\n\(names.joined(separator: "\n\n"))\n}")
        parts += notifications.compactMap { row in
            row.new.map { new in
                let full = "Notification.Name.\(new)"
                return deprecated(
                    full, "public var \(row.objc): String {\n    \(full).rawValue\n}")
            }
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private func deprecated(_ new: String, _ declaration: String) -> String {
        let line = "@available(*, deprecated, renamed: \"\(new)\")"
        let attribute =
            line.count <= 100
            ? line : "@available(\n    *, deprecated,\n    renamed: \"\(new)\"\n)"
        return """
            /// `\(new)` under its old name.
            \(attribute)
            \(declaration)
            """
    }

    // MARK: - Table

    /// The tables of the page of names, one a type.
    var tables: String {
        let types = renames.filter { $0.of == nil }
        let owners = renames.compactMap(\.of).reduce(into: [String]()) { owners, owner in
            if !owners.contains(owner) { owners.append(owner) }
        }
        let members = owners.map { owner in
            table(owner, renames.filter { $0.of == owner })
        }
        return ([table("Types, constants, functions", types)] + members).joined(separator: "\n\n")
    }

    private func table(_ title: String, _ rows: [Row]) -> String {
        let lines = rows.map { row in
            let new = row.new.map { $0 == row.old ? "the same" : "`\(shown($0, row))`" }
            let cells = [new, row.note].compactMap(\.self)
            let here = cells.isEmpty ? "gone" : cells.joined(separator: "; ")
            return "| `\(row.objc)` | `\(row.old)` | \(here) |"
        }
        let head = ["## \(title)", "", "| Objective-C | Swift, old | here |", "|---|---|---|"]
        return (head + lines).joined(separator: "\n")
    }

    private func shown(_ new: String, _ row: Row) -> String {
        row.kind == .notification ? "Notification.Name.\(new)" : new
    }

    /// The page with its tables replaced; nil when it has no place for them.
    func page(from text: String) -> String? {
        guard let start = text.range(of: Self.tableStart), let end = text.range(of: Self.tableEnd),
            start.upperBound <= end.lowerBound
        else { return nil }
        return text[..<start.upperBound] + "\n\n" + tables + "\n\n" + text[end.lowerBound...]
    }
}
