/// Puts each bar into the first row where it does not overlap an earlier one.
struct RowPacking {
    private var ends: [Double] = []

    /// The row of a bar. Call it in the order of the bars' starts.
    mutating func row(from start: Double, to end: Double) -> Int {
        if let row = ends.firstIndex(where: { $0 <= start }) {
            ends[row] = end
            return row
        }
        ends.append(end)
        return ends.count - 1
    }
}
