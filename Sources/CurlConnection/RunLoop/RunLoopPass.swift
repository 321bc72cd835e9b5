/// What a thread does in one go, and the rounds and deliveries that wait for its end.
///
/// A thread whose run loop calls nothing but its owner's jobs and transports need not wake itself
/// for what they ask for: the owner runs each in a pass, whose end does all of it at once.
///
/// ## Concurrency
/// Call from: its thread. Lock: none. Calls out on: that thread, inside `run`.
package final class RunLoopPass {
    private var depth = 0
    private var waiting: [RunLoopTransport] = []
    private let ended: () -> Void

    /// - Parameter ended: called at the end of each pass, before the rounds and after them: what
    ///   the block told others was told before they began.
    package init(ended: @escaping () -> Void) {
        self.ended = ended
    }

    /// Whether the thread is inside a pass, so that its end is still to come.
    package var isOpen: Bool { depth > 0 }

    /// Runs a block and then what waits; also inside another pass, where a block runs the loop.
    package func run(_ body: () -> Void) {
        depth += 1
        body()
        ended()
        if !waiting.isEmpty {
            while let transport = waiting.popLast() {
                transport.wokenUp()
            }
            ended()
        }
        depth -= 1
    }

    /// - Returns: false where no pass is open, and the run loop must be woken.
    func putOff(_ transport: RunLoopTransport) -> Bool {
        guard isOpen else { return false }
        waiting.append(transport)
        return true
    }
}
