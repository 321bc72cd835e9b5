import Foundation

/// Accepts connections on 127.0.0.1, a thread each, until it is stopped.
///
/// ## Concurrency
/// Call from: any thread. Lock: one condition around the open sockets. Calls out on: the
/// connection's thread.
final class Listener: @unchecked Sendable {
    // @unchecked because what changes is under the condition.
    let port: UInt16
    private let descriptor: Int32
    private let condition = NSCondition()
    private var open: Set<Int32> = []
    private var running = 1
    private var accepted = 0
    private var isStopped = false

    /// - Throws: `ProxyPeerError` when there is no socket.
    init(_ serve: @escaping @Sendable (Channel) -> Void) throws {
        guard let (descriptor, port) = Channel.listen() else { throw ProxyPeerError.noSocket }
        self.descriptor = descriptor
        self.port = port
        let thread = Thread { [self] in
            while case let socket = Glibc.accept(descriptor, nil, nil), socket >= 0 {
                begin(socket, serve)
            }
            close(descriptor)
            end(nil)
        }
        thread.start()
    }

    /// Connections accepted so far.
    var count: Int { condition.withLock { accepted } }

    /// Closes everything and waits until its threads have ended; again is harmless.
    func stop() {
        condition.withLock {
            // Once: the number of a closed socket may be another's.
            if !isStopped { shutdown(descriptor, Int32(SHUT_RDWR)) }
            isStopped = true
        }
        let deadline = Date(timeIntervalSinceNow: 20)
        condition.withLock {
            for socket in open { shutdown(socket, Int32(SHUT_RDWR)) }
            while running > 0, condition.wait(until: deadline) {}
        }
    }

    private func begin(_ socket: Int32, _ serve: @escaping @Sendable (Channel) -> Void) {
        condition.withLock {
            open.insert(socket)
            running += 1
            accepted += 1
        }
        let thread = Thread { [self] in
            let channel = Channel(socket)
            serve(channel)
            shutdown(socket, Int32(SHUT_RDWR))
            end(socket)
            withExtendedLifetime(channel) {}
        }
        thread.start()
    }

    private func end(_ socket: Int32?) {
        condition.withLock {
            if let socket { open.remove(socket) }
            running -= 1
            condition.broadcast()
        }
    }
}

/// What a proxy was sent, in order.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list.
final class Journal<Entry: Sendable>: @unchecked Sendable {
    // @unchecked because the list is under the lock.
    private let lock = NSLock()
    private var list: [Entry] = []

    var all: [Entry] { lock.withLock { list } }
    func add(_ entry: Entry) { lock.withLock { list.append(entry) } }
}

/// The system refused what a test proxy needs.
package enum ProxyPeerError: Error {
    case noSocket
}
