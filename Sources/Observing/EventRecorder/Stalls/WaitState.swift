import Foundation

/// What the recorded events say about threads, locks and queues.
///
/// ## Concurrency
/// Call from: one thread at a time. Lock: that of its ``StallWatch``.
struct WaitState {
    struct Span {
        let kind: Event.Kind
        let subject: UInt64
        let text: EventText
        let since: UInt64
    }

    struct Thread {
        var name: String
        var spans: [Span] = []
        var last: Event
        var hasRunLoop = false
        var wanted: (lock: UInt64, since: UInt64)?

        var isAsleep: Bool { spans.last?.kind == .runLoopSleep }

        /// Whether it runs a block or a caller's code, where a wait blocks others.
        var isInsideBlock: Bool {
            spans.contains {
                [.queueRun, .delegateCall, .callback, .serialization].contains($0.kind)
            }
        }
    }

    struct Block {
        let queue: String
        let since: UInt64
    }

    private(set) var threads: [UInt32: Thread] = [:]
    /// The thread that holds an operation's lock, how deep, and since when.
    private(set) var holders: [UInt64: (thread: UInt32, depth: Int, since: UInt64)] = [:]
    /// Submitted blocks that have not begun, by number.
    private(set) var blocks: [UInt64: Block] = [:]
    private var names: [UInt64: EventText] = [:]
    /// An operation's callbacks run after its end.
    private var namesOfEnded: [UInt64: EventText] = [:]

    /// All blocks, or all names of one kind, are dropped when there are so many.
    private static let limit = 1 << 16

    // MARK: Events

    mutating func note(_ event: Event) {
        var thread =
            threads.removeValue(forKey: event.thread)
            ?? Thread(name: ThreadName.ofCurrent(event.thread), last: event)
        thread.last = event
        if event.kind == .runLoopSource { thread.hasRunLoop = true }
        if event.kind == .runLoopSleep, event.phase == .begin {
            // Threads set their names when they have begun to run.
            thread.name = ThreadName.ofCurrent(event.thread)
            thread.hasRunLoop = true
        }
        switch (event.kind, event.phase) {
        case (.operation, .begin), (.sessionTask, .begin), (.request, .begin):
            if names.count >= Self.limit { names = [:] }
            names[event.subject] = event.text
        case (.operation, .end), (.sessionTask, .end), (.request, .end):
            if namesOfEnded.count >= Self.limit { namesOfEnded = [:] }
            namesOfEnded[event.subject] = names.removeValue(forKey: event.subject)
        case (.queueSubmit, _):
            if blocks.count >= Self.limit { blocks = [:] }
            blocks[event.subject] = Block(queue: event.text.string, since: event.time)
        case (let kind, .begin) where kind.isOnOneThread: begin(event, &thread)
        case (let kind, .end) where kind.isOnOneThread: end(event, &thread)
        default: break
        }
        threads[event.thread] = thread
    }

    private mutating func begin(_ event: Event, _ thread: inout Thread) {
        switch event.kind {
        case .lockWait: thread.wanted = (event.subject, event.time)
        case .lockHold:
            let depth = (holders[event.subject]?.depth ?? 0) + 1
            let since = depth == 1 ? event.time : holders[event.subject]?.since ?? event.time
            holders[event.subject] = (event.thread, depth, since)
            return
        case .queueRun: blocks[event.subject] = nil
        default: break
        }
        thread.spans.append(
            Span(
                kind: event.kind, subject: event.subject, text: event.text, since: event.time))
    }

    private mutating func end(_ event: Event, _ thread: inout Thread) {
        if event.kind == .lockWait { thread.wanted = nil }
        if event.kind == .lockHold {
            guard let holder = holders[event.subject], holder.thread == event.thread else { return }
            holders[event.subject] =
                holder.depth > 1 ? (holder.thread, holder.depth - 1, holder.since) : nil
            return
        }
        // A span that began before the watch has no begin here.
        if let index = thread.spans.lastIndex(where: {
            $0.kind == event.kind && $0.subject == event.subject
        }) {
            thread.spans.removeSubrange(index...)
        }
    }

    mutating func forget(_ gone: [UInt32]) {
        for thread in gone { threads[thread] = nil }
        holders = holders.filter { !gone.contains($0.value.thread) }
    }

    // MARK: Texts

    /// An operation's method and URL, where a recording has them.
    func name(of subject: UInt64) -> String {
        knownName(of: subject) ?? "number \(subject)"
    }

    private func knownName(of subject: UInt64) -> String? {
        (names[subject] ?? namesOfEnded[subject])?.string
    }

    /// "in callback success of GET http://…": the innermost span that is no wait for a lock; else the
    /// last event.
    func place(of thread: Thread) -> String {
        if let span = thread.spans.last(where: { $0.kind != .lockWait }) {
            return "in " + site(span.kind, span.text, span.subject)
        }
        return "last seen at " + site(thread.last.kind, thread.last.text, thread.last.subject)
    }

    private func site(_ kind: Event.Kind, _ text: EventText, _ subject: UInt64) -> String {
        var line = kind.name
        if !text.isNone { line += " " + text.string }
        if let name = knownName(of: subject) { line += " of " + name }
        return line
    }
}
