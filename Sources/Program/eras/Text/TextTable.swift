/// Pure: a table with a line under its headings.
struct TextTable {
    var headings: [String]
    /// The columns of numbers.
    var rightAligned: Set<Int> = []
    var rows: [[String]]

    var text: String {
        let widths = headings.indices.map { column in
            ([headings] + rows).map { $0[column].count }.max() ?? 0
        }
        let line = widths.map { String(repeating: "-", count: $0) }
        return ([headings, line] + rows).map { row in
            let cells = row.enumerated().map { column, cell in
                rightAligned.contains(column)
                    ? Padding.right(cell, widths[column])
                    : Padding.left(cell, widths[column])
            }
            return cells.joined(separator: "  ").trimmingSuffix(" ") + "\n"
        }.joined()
    }
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}
