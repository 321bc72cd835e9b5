/// Pure: functions cut out of a Swift source as the house writes them.
struct SourceExcerpt {
    let source: String

    /// A member function without its outer indentation, from its first line to its closing brace.
    ///
    /// - Returns: nil where there is no such function.
    func function(_ name: String) -> String? {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("    func \(name)(") }),
            let end = lines[start...].firstIndex(of: "    }")
        else { return nil }
        return lines[start...end].map { String($0.dropFirst(4)) }.joined(separator: "\n")
    }
}
