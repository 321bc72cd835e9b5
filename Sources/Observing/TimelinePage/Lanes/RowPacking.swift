/// Pure: places every bar on the first line where it does not overlap an earlier one.
struct RowPacking {
    private var ends: [Double] = []

    /// The line of a bar. Bars must be given in the order of their starts.
    mutating func row(from start: Double, to end: Double) -> Int {
        if let row = ends.firstIndex(where: { $0 <= start }) {
            ends[row] = end
            return row
        }
        ends.append(end)
        return ends.count - 1
    }
}
