import ParitySupport

/// What the order between operations may do in one scenario, beyond what varied in its recording.
enum Freedom: Sendable {
    /// Nothing more: the scenario's gates put the operations one after the other.
    case asRecorded
    /// Operations that are enqueued together begin in any order.
    case startsTogether
    /// Only each operation's own sequence counts; what holds across is checked by the scenario.
    case eachOperationAlone

    /// Whether two events of different operations may come in any order.
    ///
    /// Where Foundation schedules the operations, what one tells on the main queue means nothing
    /// for the thread that starts another, and a completion takes a hop of Foundation's besides.
    func areFree(_ first: Event, _ second: Event, _ golden: GoldenCase) -> Bool {
        if case .eachOperationAlone = self, isBatchProgress(first) != isBatchProgress(second) {
            return first.kind == "finish notification" || second.kind == "finish notification"
        }
        guard let one = first.operation, let other = second.operation, one != other else {
            return false
        }
        switch self {
        case .asRecorded: break
        case .startsTogether: if isStart(first) && isStart(second) { return true }
        case .eachOperationAlone: return true
        }
        guard golden.isScheduledByFoundation else { return false }
        return first.kind == "completion" || second.kind == "completion"
            || (first.thread == "main") != (second.thread == "main")
    }

    /// A batch counts when the operation ends, and so does the notification, each for itself.
    private func isBatchProgress(_ event: Event) -> Bool { event.kind == "batchProgress" }

    private func isStart(_ event: Event) -> Bool {
        ["isReady 1>0", "isExecuting 0>1", "start notification"].contains(event.what)
    }
}
