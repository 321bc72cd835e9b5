/// Pure: gives every bar the first line on which it does not overlap an earlier one.
struct RowPacking {
    private var ends: [Double] = []

    /// The line of a bar; bars are to come in the order of their starts.
    mutating func row(from start: Double, to end: Double) -> Int {
        if let row = ends.firstIndex(where: { $0 <= start }) {
            ends[row] = end
            return row
        }
        ends.append(end)
        return ends.count - 1
    }
}
