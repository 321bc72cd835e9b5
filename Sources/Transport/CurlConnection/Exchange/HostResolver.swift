import Foundation
import HTTPSemantics
import Locking
import Scheduling

/// Looks host names up on threads of a pool, so that no other thread waits.
///
/// `getaddrinfo` may take long and cannot be stopped. libcurl would begin a thread for each exchange
/// and, where the exchange is cancelled, wait for the thread or leave it behind. Here one look-up
/// serves all exchanges that ask for the name, and one for which none waits any more is not begun. One under way for which
/// none waits, or that takes long, does not keep another name waiting (`WorkerRule.lookUps`).
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the questions, never while looking up. Calls out on: its pool's
/// threads, without the lock.
final class HostResolver: Sendable {
    static let shared = HostResolver()

    /// Addresses as numbers, in the order in which to try them; none where the name was not found.
    typealias Addresses = [String]

    /// The addresses, or that there was no thread to look them up; with `EMFILE` no descriptor.
    typealias Answer = Result<Addresses, ThreadUnavailable>

    /// How long addresses are kept, in nanoseconds; as long as libcurl keeps them by default.
    private static let keptFor: UInt64 = 60_000_000_000
    private static let namesKept = 500

    /// A wait for addresses.
    struct Ticket: Sendable {
        fileprivate let resolver: HostResolver
        fileprivate let host: String
        fileprivate let number: Int

        /// The block is not called after this, unless the answer is being passed on now.
        func cancel() {
            resolver.cancel(self)
        }
    }

    /// A name that is to be looked up, or is. Used under the lock alone, but for its queue.
    private final class Question {
        let queue: WorkerQueue
        var waiters: [Int: @Sendable (Answer) -> Void] = [:]
        var isBegun = false

        init(_ pool: WorkerPool) {
            queue = WorkerQueue(pool)
        }
    }

    private struct State {
        var known = RecentTable<String, (addresses: Addresses, until: UInt64)>(
            limit: HostResolver.namesKept)
        var asked: [String: Question] = [:]
        var count = 0
    }

    private let state = Locked(State())
    private let pool: WorkerPool

    /// - Parameter start: what makes the threads.
    init(startingBy start: @escaping SystemThread.Starter = SystemThread.start) {
        pool = WorkerPool(.lookUps, startingBy: start)
    }

    /// Asks for a name's addresses.
    ///
    /// - Parameter whenFound: called once, from any thread, also from inside this call, unless the
    ///   ticket was cancelled.
    func ask(for host: String, whenFound: @escaping @Sendable (Answer) -> Void) -> Ticket {
        let (ticket, known, queue) = state.withLock { state in
            state.count += 1
            let ticket = Ticket(resolver: self, host: host, number: state.count)
            if let known = state.known.use(host), known.until > MonotonicClock.now {
                return (ticket, known.addresses as Addresses?, nil as WorkerQueue?)
            }
            let old = state.asked[host]
            let question = old ?? Question(pool)
            question.waiters[ticket.number] = whenFound
            state.asked[host] = question
            return (ticket, nil, old == nil ? question.queue : nil)
        }
        if let known { whenFound(.success(known)) }
        if let queue { lookUp(host, on: queue) }
        return ticket
    }

    private func lookUp(_ host: String, on queue: WorkerQueue) {
        let isTaken = queue.performElsewhere { [self] in
            guard begin(host, queue) else { return }
            answer(Self.answer(for: host), for: host)
        }
        if !isTaken { answer(.failure(ThreadUnavailable(EAGAIN)), for: host) }
    }

    /// No address could be connected to: the name is looked up anew for the next who asks.
    func forget(_ host: String) {
        state.withLock { _ = $0.known.remove(host) }
    }

    private func cancel(_ ticket: Ticket) {
        // The caller's block is released outside the lock.
        let (waiter, queue) = state.withLock { state in
            guard let question = state.asked[ticket.host] else {
                return (nil as (@Sendable (Answer) -> Void)?, nil as WorkerQueue?)
            }
            let waiter = question.waiters.removeValue(forKey: ticket.number)
            guard waiter != nil, question.waiters.isEmpty else { return (waiter, nil) }
            if !question.isBegun { state.asked[ticket.host] = nil }
            return (waiter, question.queue)
        }
        withExtendedLifetime(waiter) {}
        queue?.cancel()
    }

    // MARK: On the pool's threads

    /// Whether an exchange waits for the name whose queue this is.
    private func begin(_ host: String, _ queue: WorkerQueue) -> Bool {
        state.withLock { state in
            guard let question = state.asked[host], question.queue === queue else { return false }
            question.isBegun = true
            return true
        }
    }

    private func answer(_ answer: Answer, for host: String) {
        let waiters = state.withLock { state in
            if case .success(let addresses) = answer, !addresses.isEmpty {
                state.known.set((addresses, MonotonicClock.now + Self.keptFor), for: host)
            }
            return state.asked.removeValue(forKey: host)?.waiters ?? [:]
        }
        for waiter in waiters.values { waiter(answer) }
    }

    private static func answer(for host: String) -> Answer {
        let addresses = addresses(of: host)
        guard addresses.isEmpty, (try? DescriptorRoom.check(for: 1)) == nil else {
            return .success(addresses)
        }
        return .failure(ThreadUnavailable(EMFILE))
    }

    /// Asks the system, as libcurl would: IPv4 alone where the system has no IPv6.
    private static func addresses(of host: String) -> Addresses {
        var hints = addrinfo()
        hints.ai_family = hasIPv6 ? AF_UNSPEC : AF_INET
        // SOCK_STREAM, which has another type in each C module that shows it.
        hints.ai_socktype = 1
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: Addresses = []
        var entry = list
        while let current = entry?.pointee {
            // CURLOPT_RESOLVE takes no address with a scope.
            if let (text, _) = ConnectionEnds.numbers(of: current.ai_addr, current.ai_addrlen),
                !text.contains("%"), !addresses.contains(text)
            {
                addresses.append(text)
            }
            entry = current.ai_next
        }
        return addresses
    }

    private static var hasIPv6: Bool {
        let socket = socket(AF_INET6, 2 | Int32(O_CLOEXEC), 0)
        if socket >= 0 { close(socket) }
        return socket >= 0
    }
}
