/// How many bytes of a body have moved.
public struct OperationProgress: Sendable, Hashable {
    /// Bytes, over pauses and resumes.
    public let completed: Int64
    /// Bytes in all; nil where the length is not known.
    public let total: Int64?

    package init(_ completed: Int64, of total: Int64) {
        self.completed = completed
        self.total = total < 0 ? nil : total
    }
}
