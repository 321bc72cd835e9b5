/// What was recorded by means that Linux does not have, and what stands in for it.
///
/// The recorder replaced methods at run time and used key-value observing on Foundation's own
/// objects. Neither exists here; none of these events is the library's own.
enum Unobservable {
    /// The connection's `cancel` was intercepted. Here the server counts the clients that left
    /// before their answer ended; that number is compared with the number of these events.
    static let connectionCancel = "connection.cancel"

    /// Stands for a mark of the recorder's that a scenario cannot know.
    static let mark = "mark"

    /// Foundation's block operation that a batch returns last; its final state is compared.
    static let batchOperation = "batchOp"

    /// Whether an event of the recording cannot be seen here.
    ///
    /// - Parameter later: the recorded events that come after it.
    static func contains(_ event: Event, before later: [Event]) -> Bool {
        event.what == connectionCancel || event.what == mark
            || event.operation == batchOperation || isFoundationsReadiness(event, before: later)
    }

    /// Readiness that follows a dependency is told by Foundation: `isReady` changes while nothing
    /// starts. The scenarios read `isReady` at those points instead.
    private static func isFoundationsReadiness(_ event: Event, before later: [Event]) -> Bool {
        guard event.what.hasPrefix("isReady") else { return false }
        let own = later.filter { $0.operation == event.operation }
        if event.what == "isReady 0>1" {
            // Resuming makes an operation ready right after it stops being paused; there it is told
            // by the operation, on the thread that starts it.
            return event.thread != "main" || own.first?.what.hasPrefix("isCancelled") == true
        }
        let next = own.first { !$0.what.hasPrefix("isCancelled") }
        return next?.what == "isReady 0>1"
    }
}
