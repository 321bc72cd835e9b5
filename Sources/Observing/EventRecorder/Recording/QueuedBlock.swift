package import Dispatch

/// A block on its way to a queue or a thread, as a recording sees it: handed over when this is
/// made, run later.
package struct QueuedBlock: Sendable {
    private let block: @Sendable () -> Void
    /// 0 where no recording saw it handed over.
    private let number: UInt64
    private let label: EventText

    /// - Parameter label: the queue's.
    package init(for label: @autoclosure () -> EventText, _ block: @escaping @Sendable () -> Void) {
        self.block = block
        let isSeen = EventRecorder.isRecording
        (number, self.label) = isSeen ? (EventRecorder.nextNumber(), label()) : (0, .none)
        if isSeen { EventRecorder.instant(.queueSubmit, subject: number, text: self.label) }
    }

    /// A part of a block that is seen itself.
    package init(unseen block: @escaping @Sendable () -> Void) {
        (self.block, number, label) = (block, 0, .none)
    }

    /// What a queue runs: the block itself, where no recording sees it.
    package var work: @Sendable () -> Void { number == 0 ? block : run }

    /// Runs the block.
    package func run() {
        if number == 0 { return block() }
        EventRecorder.span(.queueRun, subject: number, text: label, block)
    }
}

extension DispatchQueue {
    /// As `async`, seen by a recording: when the block was handed over, and when and where it ran.
    package func recordedAsync(
        group: DispatchGroup? = nil, _ block: @escaping @Sendable () -> Void
    ) {
        async(group: group, execute: QueuedBlock(for: EventText(recorded: label), block).work)
    }
}
