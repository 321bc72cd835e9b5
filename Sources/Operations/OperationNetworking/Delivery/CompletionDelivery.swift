import EventRecorder
import Foundation

/// Submits one block to its queue and group (CB-2, CB-3) and then releases what the operation held.
///
/// Each operation releases it after its own block, not when a group shared by the process drains
/// (wound 15, CB-5).
enum CompletionDelivery {
    /// Where a block goes; read when the operation finishes, not when the block is set.
    struct Target {
        var queue: DispatchQueue?
        var group: DispatchGroup?
    }

    /// Submits a block.
    ///
    /// - Parameters:
    ///   - number: the operation's, in a recording.
    ///   - name: what the block is, in a recording.
    ///   - sender: the network thread, which hands the block over with those of other operations, and
    ///     the modes in which it does; nil hands it over at once.
    ///   - delivered: called on the same queue after the block.
    static func deliver(
        _ block: @escaping @Sendable () -> Void, to target: Target, of number: UInt64 = 0,
        named name: EventText = .completion,
        by sender: (thread: NetworkThread, modes: Set<RunLoop.Mode>)? = nil,
        delivered: @escaping @Sendable () -> Void
    ) {
        let work = { @Sendable in
            EventRecorder.span(.callback, subject: number, text: name, block)
            delivered()
        }
        if let (thread, modes) = sender {
            thread.tell(
                on: target.queue ?? CallbackBatch.main, group: target.group, inModes: modes, work)
        } else {
            (target.queue ?? .main).recordedAsync(group: target.group, work)
        }
    }
}
