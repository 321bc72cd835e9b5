package import Dispatch

extension DispatchQueue {
    /// As `async`, seen by a recording: when the block was handed over, and when and where it ran.
    package func recordedAsync(
        group: DispatchGroup? = nil, _ block: @escaping @Sendable () -> Void
    ) {
        async(group: group, execute: recorded(block))
    }

    /// The block as a recording sees it, handed over now and run later on this queue.
    ///
    /// - Parameter name: the queue's label, where it is at hand.
    package func recorded(
        as name: EventText? = nil, _ block: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        guard EventRecorder.isRecording else { return block }
        let number = EventRecorder.nextNumber()
        let label = name ?? EventText(label)
        EventRecorder.instant(.queueSubmit, subject: number, text: label)
        return { EventRecorder.span(.queueRun, subject: number, text: label) { block() } }
    }
}
