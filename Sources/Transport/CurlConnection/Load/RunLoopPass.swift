/// The passes of a thread's run loop: what runs in one, and the drives and callbacks put off to its end.
///
/// The owner of the thread runs each of its jobs and each wake-up of a transport in a pass. What they
/// ask for is done once at the end of the pass, so the thread need not wake itself.
///
/// ## Concurrency
/// Call from: its thread. Lock: none. Calls out on: that thread, inside `run`.
package final class RunLoopPass {
    // Unchecked for speed: blocks and drives run when none of them is being changed.

    @exclusivity(unchecked) private var depth = 0
    @exclusivity(unchecked) private var waiting: [RunLoopTransport] = []
    @exclusivity(unchecked) private var last: [() -> Void] = []
    private let ended: () -> Void

    /// - Parameter ended: called at the end of each pass, before the transports are driven and after
    ///   that: what the block has for other queues goes out first.
    package init(ended: @escaping () -> Void) {
        self.ended = ended
    }

    /// Whether the thread is inside a pass.
    package var isOpen: Bool { depth > 0 }

    /// Runs a block, and then drives what was put off. A block that runs the loop begins another pass
    /// inside its own.
    package func run(_ body: () -> Void) {
        depth += 1
        body()
        var isMore = goOut()
        while let transport = waiting.popLast() {
            isMore = true
            transport.wokenUp()
        }
        // Closed first, so that what is put off from here on is done by the pass around this one; without one it is
        // done at once or wakes the thread.
        depth -= 1
        if isMore { goOut() }
    }

    /// Runs a block once, at the end of the pass, when the other queues' blocks go out next; at once where no pass is
    /// open.
    package func atEnd(_ block: @escaping () -> Void) {
        if isOpen { last.append(block) } else { block() }
    }

    /// - Returns: whether blocks ran, which may have put off others.
    @discardableResult
    private func goOut() -> Bool {
        ended()
        if last.isEmpty { return false }
        let blocks = last
        last = []
        for block in blocks { block() }
        return true
    }

    /// Has a transport driven at the end of the pass.
    ///
    /// - Returns: false where no pass is open, and the run loop must be woken.
    func putOff(_ transport: RunLoopTransport) -> Bool {
        guard isOpen else { return false }
        waiting.append(transport)
        return true
    }
}
