/// Counts events from any thread and lets a test wait for so many.
package final class Signal: Sendable {
    private let fired = Watched(0)

    package init() {}

    /// How often it was fired so far.
    package var count: Int { fired.now }

    package func fire() {
        fired.change { $0 += 1 }
    }

    /// Waits until it was fired so often in all; an issue when that does not happen.
    @discardableResult
    package func wait(
        for count: Int = 1, _ what: String = "the end",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Bool {
        await fired.wait(until: what, sourceLocation: sourceLocation) { $0 >= count }
    }

    /// The same for a test on a thread of its own, which it blocks; false when it does not happen.
    package func blocks(until count: Int) -> Bool {
        fired.blockUntil { $0 >= count }
    }
}

/// Values in the order they came, from any thread.
package final class Log<Entry: Sendable>: Sendable {
    private let entries = Watched<[Entry]>([])

    package init() {}

    package var all: [Entry] { entries.now }

    package func add(_ entry: Entry) {
        entries.change { $0.append(entry) }
    }

    /// Waits until there are so many; false when that does not happen.
    package func reaches(_ count: Int) async -> Bool {
        await entries.reaches { $0.count >= count }
    }

    /// Waits until the entries are as expected; false when that does not happen.
    package func sees(_ isExpected: @escaping @Sendable ([Entry]) -> Bool) async -> Bool {
        await entries.reaches(isExpected)
    }

    /// `reaches` for a test on a thread of its own, which it blocks.
    package func wait(for count: Int) -> Bool {
        entries.blockUntil { $0.count >= count }
    }
}

/// Something a block can hold, so that a test sees when the block is gone.
package final class Sentinel: Sendable {
    private let gone: Signal

    package init(_ gone: Signal) {
        self.gone = gone
    }

    deinit {
        gone.fire()
    }

    package func touch() {}
}
