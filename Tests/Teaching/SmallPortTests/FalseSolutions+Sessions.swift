import CoreFoundation
@testable import Lessons
import SmallPort8Completion
import Synchronization
import TestSupport

extension FalseSolution {
    /// Of the lessons about completions, sessions and requests, 10 to 18.
    static let sessions = [
        FalseSolution(10, "a global queue", refusedBy: "do not run on the queue") {
            .of(completion: OnAnyQueue.self)
        },
        FalseSolution(10, "the network thread", refusedBy: "runs on the network thread") {
            .of(completion: OnTheNetworkThread.self)
        },
        FalseSolution(11, "an authority is enough", refusedBy: "has another key is accepted") {
            .of(pin: AuthorityIsEnough.self)
        },
        FalseSolution(11, "a pin is enough", refusedBy: "has expired is accepted") {
            .of(pin: PinIsEnough.self)
        },
        FalseSolution(11, "no pin in place of an authority", refusedBy: "is refused, though") {
            .of(pin: NeverInvalid.self)
        },
        FalseSolution(12, "waits for the token", refusedBy: "blocks its thread") {
            .of(order: Waits.self)
        },
        FalseSolution(12, "forgets the token", refusedBy: "After the response T7") {
            .of(order: ForgetsTheToken.self)
        },
        FalseSolution(13, "a synchronous call", refusedBy: "`deliver` waits for the block") {
            .of(width: Synchronous.self)
        },
        FalseSolution(13, "a global queue", refusedBy: "the file is BA") {
            .of(width: GlobalQueue.self)
        },
        FalseSolution(14, "keeps what has ended", refusedBy: "has the number 1 again") {
            .of(routing: KeepsBodies.self)
        },
        FalseSolution(15, "calls under the lock", refusedBy: "while the lock is held") {
            .of(lateHandler: UnderLock.self)
        },
        FalseSolution(15, "calls twice", refusedBy: "more than once") {
            .of(lateHandler: CallsTwice.self)
        },
        FalseSolution(16, "counts cancels, not receipts", refusedBy: "count each receipt once") {
            .of(sharing: CountsCancels.self)
        },
        FalseSolution(16, "keeps what has ended", refusedBy: "an end leaves the table") {
            .of(sharing: KeepsDownloads.self)
        },
        FalseSolution(17, "does not wait", refusedBy: "another value than the block") {
            .of(awaiting: DoesNotWait.self)
        },
        FalseSolution(18, "one guess for all", refusedBy: "1 of 5 are right") {
            .of(traces: OneGuess.self)
        },
    ]
}

// MARK: - 10

/// On a queue, and not on the one that was asked for.
private struct OnAnyQueue: CompletionExercise {
    let thread: NetworkThread

    init(on thread: NetworkThread, completionQueue: DispatchQueue) {
        self.thread = thread
    }

    var count: Int { 0 }

    func fetch(_ completion: @escaping @Sendable () -> Void) {
        thread.perform { DispatchQueue.global().async(execute: completion) }
    }
}

private struct OnTheNetworkThread: CompletionExercise {
    let thread: NetworkThread

    init(on thread: NetworkThread, completionQueue: DispatchQueue) {
        self.thread = thread
    }

    var count: Int { 0 }

    func fetch(_ completion: @escaping @Sendable () -> Void) {
        thread.perform { completion() }
    }
}

// MARK: - 11

private struct AuthorityIsEnough: PinExercise {
    let allowsInvalid: Bool

    init(pins: Set<String>, allowsInvalid: Bool) { self.allowsInvalid = allowsInvalid }

    func accepts(_ server: SeenServer, host: String) -> Bool {
        server.isInDate && server.names.contains(host)
            && (server.endsAtAuthority || allowsInvalid)
    }
}

private struct PinIsEnough: PinExercise {
    let pins: Set<String>

    init(pins: Set<String>, allowsInvalid: Bool) { self.pins = pins }

    func accepts(_ server: SeenServer, host: String) -> Bool {
        !pins.isDisjoint(with: server.keys)
    }
}

private struct NeverInvalid: PinExercise {
    let pins: Set<String>

    init(pins: Set<String>, allowsInvalid: Bool) { self.pins = pins }

    func accepts(_ server: SeenServer, host: String) -> Bool {
        server.isInDate && server.names.contains(host) && server.endsAtAuthority
            && !pins.isDisjoint(with: server.keys)
    }
}

// MARK: - 12

/// Waits for the token in place of going on in the block.
private struct Waits: OrderExercise {
    let requests: SideBySide

    init(_ requests: SideBySide) { self.requests = requests }

    func load(_ completion: @escaping @Sendable (String) -> Void) {
        let (token, hasToken) = (Watched(""), DispatchSemaphore(value: 0))
        requests.start("token") { text in
            token.change { $0 = text }
            hasToken.signal()
        }
        hasToken.wait()
        requests.start("profile \(token.now)") { completion($0) }
    }
}

private struct ForgetsTheToken: OrderExercise {
    let requests: SideBySide

    init(_ requests: SideBySide) { self.requests = requests }

    func load(_ completion: @escaping @Sendable (String) -> Void) {
        requests.start("token") { [requests] _ in
            requests.start("profile") { completion($0) }
        }
    }
}

// MARK: - 13

/// In order, on the thread that brings the pieces.
private struct Synchronous: WidthExercise {
    func deliver(_ piece: String, to block: @escaping @Sendable (String) -> Void) {
        block(piece)
    }
}

private struct GlobalQueue: WidthExercise {
    func deliver(_ piece: String, to block: @escaping @Sendable (String) -> Void) {
        DispatchQueue.global().async { block(piece) }
    }
}

// MARK: - 14, 15, 16

private final class KeepsBodies: RoutingExercise {
    private let bodies = Watched<[Int: String]>([:])

    func received(_ piece: String, task: Int) { bodies.change { $0[task, default: ""] += piece } }

    func ended(task: Int) -> String { bodies.now[task] ?? "" }
}

/// Tells of no handler twice, but calls them under the lock.
private final class UnderLock: LateHandlerExercise, @unchecked Sendable {
    // @unchecked because the state is changed under the lock.
    private let lock = NSLock()
    private var handlers: [@Sendable (String) -> Void] = []
    private var result: String?

    func add(_ handler: @escaping @Sendable (String) -> Void) {
        lock.withLock {
            if let result { handler(result) } else { handlers.append(handler) }
        }
    }

    func end(_ result: String) {
        lock.withLock {
            self.result = result
            for handler in handlers { handler(result) }
        }
    }
}

/// Calls a late handler where it comes, and where it is called for the end.
private final class CallsTwice: LateHandlerExercise {
    private let state = Watched<(handlers: [@Sendable (String) -> Void], result: String?)>(
        ([], nil))

    func add(_ handler: @escaping @Sendable (String) -> Void) {
        state.change { $0.handlers.append(handler) }
        guard let result = state.now.result else { return }
        for _ in 0...1 { handler(result) }
    }

    func end(_ result: String) {
        state.change { $0.result = result }
        state.now.handlers.forEach { $0(result) }
    }
}

/// A table of pictures and those who wait for them.
private final class Pictures: Sendable {
    typealias Waiting = (name: String, handler: @Sendable (String) -> Void)

    let loader: PictureLoader
    let waiting = Watched<[Int: Waiting]>([:])
    let counts = Watched<[String: Int]>([:])

    init(_ loader: PictureLoader) { self.loader = loader }

    func ask(_ name: String, _ handler: @escaping @Sendable (String) -> Void) -> Int {
        let receipt = waiting.change { waiting in
            waiting[waiting.count] = (name, handler)
            return waiting.count - 1
        }
        let isFirst = counts.change { counts in
            counts[name, default: 0] += 1
            return counts[name] == 1
        }
        if isFirst { loader.start(name) }
        return receipt
    }

    func tell(_ name: String, _ picture: String, without cancelled: Set<Int>) {
        for (receipt, wait) in waiting.now where wait.name == name && !cancelled.contains(receipt) {
            wait.handler(picture)
        }
    }
}

private final class CountsCancels: SharingExercise {
    private let pictures: Pictures
    private let cancelled = Watched<Set<Int>>([])

    init(_ loader: PictureLoader) { pictures = Pictures(loader) }

    func ask(_ name: String, _ handler: @escaping @Sendable (String) -> Void) -> Int {
        pictures.ask(name, handler)
    }

    func cancel(_ receipt: Int) {
        guard let name = pictures.waiting.now[receipt]?.name else { return }
        cancelled.change { _ = $0.insert(receipt) }
        let isLast = pictures.counts.change { counts in
            counts[name, default: 0] -= 1
            return counts[name] == 0
        }
        if isLast { pictures.loader.cancel(name) }
    }

    func loaded(_ name: String, _ picture: String) {
        pictures.tell(name, picture, without: cancelled.now)
        pictures.counts.change { $0[name] = nil }
    }
}

private final class KeepsDownloads: SharingExercise {
    private let pictures: Pictures
    private let cancelled = Watched<Set<Int>>([])

    init(_ loader: PictureLoader) { pictures = Pictures(loader) }

    func ask(_ name: String, _ handler: @escaping @Sendable (String) -> Void) -> Int {
        pictures.ask(name, handler)
    }

    func cancel(_ receipt: Int) {
        guard let name = pictures.waiting.now[receipt]?.name,
            cancelled.change({ $0.insert(receipt).inserted })
        else { return }
        let isLast = pictures.counts.change { counts in
            counts[name, default: 0] -= 1
            return counts[name] == 0
        }
        if isLast { pictures.loader.cancel(name) }
    }

    func loaded(_ name: String, _ picture: String) {
        pictures.tell(name, picture, without: cancelled.now)
    }
}

// MARK: - 17 and 18

private struct DoesNotWait: AwaitingExercise {
    func value(
        of call: @escaping @Sendable (_ block: @escaping @Sendable (String) -> Void) -> Void
    ) async -> String {
        let value = Watched("")
        call { text in value.change { $0 = text } }
        return value.now
    }
}

private enum OneGuess: TraceExercise {
    static let answers = Dictionary(
        uniqueKeysWithValues: (1...5).map { ($0, TraceFault.mainIsKept) })
}
