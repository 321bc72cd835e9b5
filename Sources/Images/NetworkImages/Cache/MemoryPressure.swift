/// Reports memory pressure.
public protocol MemoryPressureSource: Sendable {
    /// Calls a block whenever memory is short, on a thread of the source's own, until it is
    /// stopped.
    ///
    /// - Throws: where the source cannot be watched.
    func watch(_ onPressure: @escaping @Sendable () -> Void) throws -> any MemoryPressureWatch
}

/// A subscription to memory pressure, which lasts until `stop()`.
public protocol MemoryPressureWatch: Sendable {
    /// Ends the calls; a call that is running may still finish.
    func stop()
}
