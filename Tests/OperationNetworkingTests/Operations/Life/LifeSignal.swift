import CurlConnection
import Foundation
import Locking
import Testing

/// Counts events from any thread and lets a test wait for so many.
final class LifeSignal: Sendable {
    private struct Waiter {
        var number: Int
        var count: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var count = 0
        var nextNumber = 0
        var waiters: [Waiter] = []
    }

    private let state = Locked(State())

    /// How often it was fired so far.
    var count: Int { state.withLock { $0.count } }

    func fire() {
        let due = state.withLock { state in
            state.count += 1
            let due = state.waiters.filter { $0.count <= state.count }
            state.waiters.removeAll { $0.count <= state.count }
            return due
        }
        due.forEach { $0.continuation.resume(returning: true) }
    }

    /// Waits until it was fired so often in all; an issue when that does not happen.
    @discardableResult
    func wait(
        for count: Int = 1, _ what: String = "the end",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Bool {
        let isThere = await withCheckedContinuation { add(count, $0) }
        if !isThere { Issue.record("Waited in vain for \(what).", sourceLocation: sourceLocation) }
        return isThere
    }

    private func add(_ count: Int, _ continuation: CheckedContinuation<Bool, Never>) {
        let number: Int? = state.withLock { state in
            guard state.count < count else { return nil }
            state.nextNumber += 1
            state.waiters.append(
                Waiter(number: state.nextNumber, count: count, continuation: continuation))
            return state.nextNumber
        }
        guard let number else { return continuation.resume(returning: true) }
        DispatchQueue.global().asyncAfter(deadline: .now() + LifeRoom.patience) { [weak self] in
            self?.giveUp(number)
        }
    }

    private func giveUp(_ number: Int) {
        let late = state.withLock { state in
            defer { state.waiters.removeAll { $0.number == number } }
            return state.waiters.first { $0.number == number }
        }
        late?.continuation.resume(returning: false)
    }
}

/// A list that grows from any thread.
final class LifeLog<Entry: Sendable>: Sendable {
    private let state = Locked<[Entry]>([])

    var entries: [Entry] { state.withLock { $0 } }

    func append(_ entry: Entry) {
        state.withLock { $0.append(entry) }
    }
}

/// Something a block can hold, so that a test sees when the block is gone.
final class LifeSentinel: Sendable {
    private let gone: LifeSignal

    init(_ gone: LifeSignal) {
        self.gone = gone
    }

    deinit {
        gone.fire()
    }

    func touch() {}
}
