package import Dispatch

/// A block whose submission to a queue or thread, and its run, are recorded.
package struct QueuedBlock: Sendable {
    private let block: @Sendable () -> Void
    /// 0 where the submission was not recorded.
    private let number: UInt64
    private let label: EventText

    package init(for label: @autoclosure () -> EventText, _ block: @escaping @Sendable () -> Void) {
        self.block = block
        let isSeen = EventRecorder.isRecording
        (number, self.label) = isSeen ? (EventRecorder.nextNumber(), label()) : (0, .none)
        if isSeen { EventRecorder.instant(.queueSubmit, subject: number, text: self.label) }
    }

    /// A block whose run is not recorded.
    package init(unseen block: @escaping @Sendable () -> Void) {
        (self.block, number, label) = (block, 0, .none)
    }

    /// The block for a queue: unwrapped where it is not recorded.
    package var work: @Sendable () -> Void { number == 0 ? block : run }

    package func run() {
        if number == 0 { return block() }
        EventRecorder.span(.queueRun, subject: number, text: label, block)
    }
}

extension DispatchQueue {
    /// Like `async`, with both the submission and the run recorded.
    package func recordedAsync(
        group: DispatchGroup? = nil, _ block: @escaping @Sendable () -> Void
    ) {
        async(group: group, execute: QueuedBlock(for: EventText(recorded: label), block).work)
    }
}
