extension ReachabilityTarget {
    /// The system's monitor for this target, not started.
    package func monitor() -> any ReachabilityMonitor {
        #if os(Linux)
            NetlinkMonitor(target: self)
        #else
            BlindMonitor()
        #endif
    }

    /// What the system says now, read on the caller's thread; nil where it does not tell.
    ///
    /// The kernel answers from its tables: nothing is sent and nothing looked up.
    package func currentFacts() -> ReachabilityFacts? {
        #if os(Linux)
            NetlinkSocket.forLists()?.facts(for: self)
        #else
            nil
        #endif
    }
}
