package import Dispatch

extension DispatchQueue {
    /// As `async`, seen by a recording: when the block was handed over, and when and where it ran.
    package func recordedAsync(
        group: DispatchGroup? = nil, _ block: @escaping @Sendable () -> Void
    ) {
        guard EventRecorder.isRecording else { return async(group: group, execute: block) }
        let number = EventRecorder.nextNumber()
        let label = EventText(label)
        EventRecorder.instant(.queueSubmit, subject: number, text: label)
        async(group: group) {
            EventRecorder.span(.queueRun, subject: number, text: label) { block() }
        }
    }
}
