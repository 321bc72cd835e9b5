import Foundation
import Synchronization

/// A body that waits for its one reader; its transfer ends with it where none comes.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; one atomic flag.
final class BodyReading: Sendable {
    private let channel: BodyChannel
    private let isTaken = Atomic<Bool>(false)

    init(_ channel: BodyChannel) {
        self.channel = channel
    }

    deinit {
        if !isTaken.load(ordering: .acquiring) { channel.leave() }
    }

    /// The body's one reader; nil for all but the first who asks.
    func take() -> BodyReader? {
        isTaken.exchange(true, ordering: .acquiringAndReleasing) ? nil : BodyReader(channel)
    }
}

/// The reader of a body; the transfer ends with it.
///
/// ## Concurrency
/// Call from: one task at a time. Lock: none; the channel's.
final class BodyReader: Sendable {
    private let channel: BodyChannel

    init(_ channel: BodyChannel) {
        self.channel = channel
    }

    deinit {
        channel.leave()
    }

    nonisolated(nonsending) func next() async throws -> Data? {
        try await channel.next()
    }
}
