extension Locked {
    /// Replaces a part of the value. The old part is released after the lock, since its `deinit` may be a caller's code.
    @inlinable
    public func replace<Part>(_ part: WritableKeyPath<Value, Part>, with new: Part) {
        var other = new
        withLock { swap(&$0[keyPath: part], &other) }
    }
}
