import Foundation
import HTTPSemantics
import Locking
import Scheduling

/// Looks host names up on threads of its own, so that no other thread waits.
///
/// `getaddrinfo` may take long and cannot be stopped. libcurl would begin a thread for each exchange
/// and, where the exchange is cancelled, wait for the thread or leave it behind. Here one look-up
/// serves all exchanges that ask for the name. At most `threadLimit` look-ups are under way, and one
/// for which nobody waits any more is not begun. One under way that nobody waits for, or that takes long, does not
/// keep another name waiting: up to `leftLimit` of them do not count.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the questions, never while looking up. Calls out on: its
/// threads, without the lock.
final class HostResolver: Sendable {
    static let shared = HostResolver()

    /// Addresses as numbers, in the order in which to try them; none where the name was not found.
    typealias Addresses = [String]

    /// The addresses, or that there was no thread to look them up; with `EMFILE` no descriptor.
    typealias Answer = Result<Addresses, ThreadUnavailable>

    /// Look-ups under way at once; the others wait.
    static let threadLimit = 32
    /// How many more may be under way that nobody waits for, or that take longer than `slow`.
    static let leftLimit = 128
    /// In nanoseconds.
    private static let slow: UInt64 = 1_000_000_000
    /// How long addresses are kept, in nanoseconds; as long as libcurl keeps them.
    private static let keptFor: UInt64 = 60_000_000_000
    private static let namesKept = 500

    /// A wait for addresses.
    struct Ticket: Sendable {
        fileprivate let resolver: HostResolver
        fileprivate let host: String
        fileprivate let number: Int

        /// The block is not called after this, unless it is being called now.
        func cancel() {
            resolver.cancel(self)
        }
    }

    /// A name that is to be looked up, or is. Used under the lock alone.
    private final class Question {
        let host: String
        var waiters: [Int: @Sendable (Answer) -> Void] = [:]
        /// When its look-up began; 0 before.
        var begun: UInt64 = 0

        init(_ host: String) {
            self.host = host
        }
    }

    private struct State {
        var known = RecentTable<String, (addresses: Addresses, until: UInt64)>(
            limit: HostResolver.namesKept)
        var asked: [String: Question] = [:]
        var line = WaitingLine<Question> { $0.waiters.isEmpty }
        var threads = 0
        var count = 0
        /// Those whose look-up is under way.
        var begun: [ObjectIdentifier: Question] = [:]
        /// Whether the clock will look for room.
        var isWatched = false

        /// Whether one more thread may look names up; it counts then.
        mutating func takeRoom() -> Bool {
            guard !line.isEmpty, counted < HostResolver.threadLimit else { return false }
            threads += 1
            return true
        }

        /// The threads that keep others from being begun.
        var counted: Int {
            guard threads >= HostResolver.threadLimit else { return threads }
            return threads - min(left(at: MonotonicClock.now), HostResolver.leftLimit)
        }

        /// The threads whose look-up nobody waits for, or takes long.
        private func left(at now: UInt64) -> Int {
            begun.values.count { $0.waiters.isEmpty || now - $0.begun > HostResolver.slow }
        }

        /// Whether a thread is left to take the next name soon.
        var hasThread: Bool { threads > left(at: MonotonicClock.now) }

        /// Whether the clock must be asked to look for room later: a name waits for it.
        mutating func mustWatch() -> Bool {
            guard !line.isEmpty, !isWatched,
                threads < HostResolver.threadLimit + HostResolver.leftLimit
            else { return false }
            isWatched = true
            return true
        }
    }

    private let state = Locked(State())
    private let start: SystemThread.Starter

    /// - Parameter start: what makes the threads.
    init(startingBy start: @escaping SystemThread.Starter = SystemThread.start) {
        self.start = start
    }

    /// Asks for a name's addresses.
    ///
    /// - Parameter whenFound: called once, from any thread, also from inside this call, unless the
    ///   ticket was cancelled.
    func ask(for host: String, whenFound: @escaping @Sendable (Answer) -> Void) -> Ticket {
        let (ticket, known, isNew) = state.withLock { state in
            state.count += 1
            let ticket = Ticket(resolver: self, host: host, number: state.count)
            if let known = state.known.use(host), known.until > MonotonicClock.now {
                return (ticket, known.addresses as Addresses?, false)
            }
            let question = state.asked[host] ?? Question(host)
            question.waiters[ticket.number] = whenFound
            let isNew = state.asked.updateValue(question, forKey: host) == nil
            if isNew { state.line.append(question) }
            return (ticket, nil, isNew)
        }
        if let known {
            whenFound(.success(known))
        } else if isNew {
            makeRoom()
        }
        return ticket
    }

    /// Begins a thread for a name that waits, where there may be one more; else looks again in a while.
    ///
    /// - Parameter isWatch: whether it is such a look, after which other names may wait still.
    private func makeRoom(isWatch: Bool = false) {
        let (needsThread, mustWatch) = state.withLock { state in
            let needsThread = state.takeRoom()
            return (needsThread, (isWatch || !needsThread) && state.mustWatch())
        }
        if needsThread { startThread() }
        if mustWatch {
            NetworkClock.system.wakeUp(after: 0.25) { [self] in
                state.withLock { $0.isWatched = false }
                makeRoom(isWatch: true)
            }
        }
    }

    /// No address could be connected to: the name is looked up anew for the next who asks.
    func forget(_ host: String) {
        state.withLock { _ = $0.known.remove(host) }
    }

    private func cancel(_ ticket: Ticket) {
        // The caller's block is released outside the lock.
        let (waiter, hasLeft) = state.withLock { state in
            guard let question = state.asked[ticket.host] else {
                return (nil as (@Sendable (Answer) -> Void)?, false)
            }
            let waiter = question.waiters.removeValue(forKey: ticket.number)
            guard waiter != nil, question.waiters.isEmpty else { return (waiter, false) }
            if question.begun == 0 {
                state.asked[ticket.host] = nil
                state.line.noteLeaving()
            }
            return (waiter, question.begun > 0)
        }
        withExtendedLifetime(waiter) {}
        if hasLeft { makeRoom() }
    }

    // MARK: Its threads

    private func startThread() {
        do {
            try start { [self] in
                Thread.current.name = "host look-up"
                work()
            }
        } catch {
            giveUpThread(error)
        }
    }

    /// The system has no thread to give. Where no other is at work, all that wait hear of it.
    private func giveUpThread(_ reason: ThreadUnavailable) {
        let waiters = state.withLock { state in
            state.threads -= 1
            guard !state.hasThread else { return [] as [@Sendable (Answer) -> Void] }
            var waiters: [@Sendable (Answer) -> Void] = []
            while let question = state.line.removeFirst() {
                state.asked[question.host] = nil
                waiters += question.waiters.values
            }
            return waiters
        }
        for waiter in waiters { waiter(.failure(reason)) }
    }

    /// Looks up names until none waits.
    private func work() {
        while let host = next() {
            let addresses = Self.addresses(of: host)
            let lacksDescriptors =
                addresses.isEmpty && (try? DescriptorRoom.check(for: 1)) == nil
            let waiters = state.withLock { state in
                if !addresses.isEmpty {
                    state.known.set((addresses, MonotonicClock.now + Self.keptFor), for: host)
                }
                let question = state.asked.removeValue(forKey: host)
                if let question { state.begun[ObjectIdentifier(question)] = nil }
                return question?.waiters ?? [:]
            }
            let answer: Answer =
                lacksDescriptors ? .failure(ThreadUnavailable(EMFILE)) : .success(addresses)
            for waiter in waiters.values { waiter(answer) }
        }
    }

    private func next() -> String? {
        state.withLock { state in
            guard state.counted <= Self.threadLimit, let question = state.line.removeFirst() else {
                state.threads -= 1
                return nil
            }
            question.begun = MonotonicClock.now
            state.begun[ObjectIdentifier(question)] = question
            return question.host
        }
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
            if let text = number(of: current), !text.contains("%"), !addresses.contains(text) {
                addresses.append(text)
            }
            entry = current.ai_next
        }
        return addresses
    }

    private static func number(of entry: addrinfo) -> String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let result = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        guard result == 0 else { return nil }
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static var hasIPv6: Bool {
        let socket = socket(AF_INET6, 2 | Int32(O_CLOEXEC), 0)
        if socket >= 0 { close(socket) }
        return socket >= 0
    }
}
