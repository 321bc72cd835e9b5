import Foundation
import HTTPSemantics
import Locking

/// Looks host names up on threads of its own, so that no other thread waits.
///
/// `getaddrinfo` may take long and cannot be stopped. libcurl would begin a thread for each exchange
/// and, where the exchange is cancelled, wait for the thread or leave it behind. Here one look-up
/// serves all exchanges that ask for the name. At most `threadLimit` look-ups are under way, and one
/// for which nobody waits any more is not begun.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the questions, never while looking up. Calls out on: its
/// threads, without the lock.
final class HostResolver: Sendable {
    static let shared = HostResolver()

    /// Addresses as numbers, in the order in which to try them; none where the name was not found.
    typealias Addresses = [String]

    /// Look-ups under way at once; the others wait.
    static let threadLimit = 32
    /// How long addresses are kept, in nanoseconds; as long as libcurl keeps them.
    private static let keptFor: UInt64 = 60_000_000_000
    private static let namesKept = 500

    /// A wait for addresses.
    struct Ticket: Sendable {
        fileprivate let host: String
        fileprivate let number: Int

        /// The block is not called after this, unless it is being called now.
        func cancel() {
            HostResolver.shared.cancel(self)
        }
    }

    /// A name that is to be looked up, or is. Used under the lock alone.
    private final class Question {
        let host: String
        var waiters: [Int: @Sendable (Addresses) -> Void] = [:]
        var hasBegun = false

        init(_ host: String) {
            self.host = host
        }
    }

    private struct State {
        var known = RecentValues<String, (addresses: Addresses, until: UInt64)>(
            limit: HostResolver.namesKept)
        var asked: [String: Question] = [:]
        var line = WaitingLine<Question> { $0.waiters.isEmpty }
        var threads = 0
        var count = 0
    }

    private let state = Locked(State())

    /// Asks for a name's addresses.
    ///
    /// - Parameter whenFound: called once, from any thread, also from inside this call, unless the
    ///   ticket was cancelled.
    func ask(for host: String, whenFound: @escaping @Sendable (Addresses) -> Void) -> Ticket {
        let (ticket, known, needsThread) = state.withLock { state in
            state.count += 1
            let ticket = Ticket(host: host, number: state.count)
            if let known = state.known.value(of: host), known.until > MonotonicClock.now {
                return (ticket, known.addresses as Addresses?, false)
            }
            let question = state.asked[host] ?? Question(host)
            question.waiters[ticket.number] = whenFound
            let isNew = state.asked.updateValue(question, forKey: host) == nil
            if isNew { state.line.append(question) }
            let needsThread = isNew && state.threads < Self.threadLimit
            if needsThread { state.threads += 1 }
            return (ticket, nil, needsThread)
        }
        if let known {
            whenFound(known)
        } else if needsThread, !startThread() {
            giveUpThread()
        }
        return ticket
    }

    /// No address could be connected to: the name is looked up anew for the next who asks.
    func forget(_ host: String) {
        state.withLock { $0.known.remove(host) }
    }

    private func cancel(_ ticket: Ticket) {
        // The caller's block is released outside the lock.
        let waiter = state.withLock { state in
            guard let question = state.asked[ticket.host] else {
                return nil as (@Sendable (Addresses) -> Void)?
            }
            let waiter = question.waiters.removeValue(forKey: ticket.number)
            if waiter != nil, question.waiters.isEmpty, !question.hasBegun {
                state.asked[ticket.host] = nil
                state.line.noteLeaving()
            }
            return waiter
        }
        withExtendedLifetime(waiter) {}
    }

    // MARK: Its threads

    private func startThread() -> Bool {
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { _ in
                Thread.current.name = "host look-up"
                HostResolver.shared.work()
                return nil
            }, nil)
        if result == 0 { pthread_detach(thread) }
        return result == 0
    }

    /// The system has no thread to give. Where no other is at work, all that wait get no address.
    private func giveUpThread() {
        let waiters = state.withLock { state in
            state.threads -= 1
            guard state.threads == 0 else { return [] as [@Sendable (Addresses) -> Void] }
            var waiters: [@Sendable (Addresses) -> Void] = []
            while let question = state.line.removeFirst() {
                state.asked[question.host] = nil
                waiters += question.waiters.values
            }
            return waiters
        }
        for waiter in waiters { waiter([]) }
    }

    /// Looks up names until none waits.
    private func work() {
        while let host = next() {
            let addresses = Self.addresses(of: host)
            let waiters = state.withLock { state in
                if !addresses.isEmpty {
                    state.known.set((addresses, MonotonicClock.now + Self.keptFor), for: host)
                }
                return state.asked.removeValue(forKey: host)?.waiters ?? [:]
            }
            for waiter in waiters.values { waiter(addresses) }
        }
    }

    private func next() -> String? {
        state.withLock { state in
            guard let question = state.line.removeFirst() else {
                state.threads -= 1
                return nil
            }
            question.hasBegun = true
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
