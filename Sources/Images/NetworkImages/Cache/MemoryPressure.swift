/// Something that says when memory is short.
public protocol MemoryPressureSource: Sendable {
    /// Calls back whenever memory is short, on a thread of the source's own, until it is stopped.
    ///
    /// - Throws: where it cannot be watched.
    func watch(_ onPressure: @escaping @Sendable () -> Void) throws -> any MemoryPressureWatch
}

/// A watch for memory pressure, which lasts until `stop()`.
public protocol MemoryPressureWatch: Sendable {
    /// Ends the calls; one that runs now may still end.
    func stop()
}
