import CLinux
import EventRecorder
import Foundation

/// One epoll: all of libcurl's sockets, one timer and one event for wake-ups from other threads.
///
/// Its own descriptor becomes readable whenever any of them is, so one run-loop source watches all.
/// Changes are passed to the kernel at the next look: libcurl stops watching a socket and watches it again
/// around each request, and most such pairs cancel out. The kernel watches an idle connection until
/// unsolicited bytes come.
///
/// ## Concurrency
/// Call from: the transport's thread; `wakeUpEvent` from any thread. Lock: none.
final class DescriptorSet: CurlEventLoop {
    let descriptor: Int32
    private let timer: Int32
    /// What wakes the run loop from other threads.
    let wakeUpEvent = WakeUpEvent()
    let trace = SocketTrace()

    // Exclusivity is unchecked for speed, because libcurl calls for each socket of each request: nothing is called
    // while one of these changes.

    private struct Interest {
        var registered: UInt32 = 0
        var wanted: UInt32 = 0
        var isDirty = false
        /// Whether it is a connection: `forget` is called before that is closed. libcurl closes its
        /// other sockets without a callback.
        var isConnection = false
        /// The last connection's; each connection has its own.
        var number: UInt64 = 0
        /// Set by the first `connection(with:)` that finds it.
        var ends: ConnectionEnds?
    }

    /// By descriptor. The kernel uses the smallest free number, so this stays short.
    @exclusivity(unchecked) private var interests: [Interest] = []
    @exclusivity(unchecked) private var connections: [ConnectionEnds: Int32] = [:]
    /// Connections whose ends are not known yet.
    @exclusivity(unchecked) private var unnamed: Set<Int32> = []
    @exclusivity(unchecked) private var connectionCount: UInt64 = 0
    /// The numbers of connections whose sockets `CallWatch` has replaced.
    @exclusivity(unchecked) private var cutConnections: Set<UInt64> = []
    @exclusivity(unchecked) private var dirty: [Int32] = []
    @exclusivity(unchecked) private var armedDeadline: UInt64?
    /// When libcurl wants its timer; 0 is now, and nil is never.
    @exclusivity(unchecked) var curlDeadline: UInt64?
    @exclusivity(unchecked) private var ready: [epoll_event]
    /// The first socket that the last look did not handle; the kernel reports it again.
    @exclusivity(unchecked) private var stoppedAt: Int32?

    /// - Throws: `URLError.resourceUnavailable` when the process has no descriptors left.
    init(eventsAtOnce: Int = 256) throws(URLError) {
        ready = [epoll_event](repeating: epoll_event(), count: eventsAtOnce)
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
        guard descriptor >= 0, timer >= 0, wakeUpEvent.descriptor >= 0 else {
            throw DescriptorRoom.error(for: nil)
        }
        control(EPOLL_CTL_ADD, timer, EPOLLIN.rawValue)
        control(EPOLL_CTL_ADD, wakeUpEvent.descriptor, EPOLLIN.rawValue)
        if let refusal { throw refusal }
    }

    /// Called also where the initializer throws.
    deinit {
        for opened in [timer, descriptor] where opened >= 0 { close(opened) }
    }

    /// Why the kernel refused to watch a socket; nil where it has not.
    @exclusivity(unchecked) private(set) var refusal: URLError?

    func takeRefusal() -> URLError? {
        defer { refusal = nil }
        return refusal
    }

    func watch(_ socket: Int32, reading: Bool, writing: Bool) {
        let index = Int(socket)
        grow(to: index)
        interests[index].wanted =
            (reading ? EPOLLIN.rawValue : 0) | (writing ? EPOLLOUT.rawValue : 0)
        if !reading, !writing, !interests[index].isConnection {
            // libcurl may close it before the next look, and the kernel may reuse its number.
            unregister(socket)
        }
        markDirty(socket)
    }

    private func markDirty(_ socket: Int32) {
        guard !interests[Int(socket)].isDirty else { return }
        interests[Int(socket)].isDirty = true
        dirty.append(socket)
    }

    func adopt(_ socket: Int32) {
        grow(to: Int(socket))
        connectionCount += 1
        interests[Int(socket)].number = connectionCount
        interests[Int(socket)].registered = 0
        interests[Int(socket)].isConnection = true
        unnamed.insert(socket)
        trace.opened(socket)
    }

    /// The kernel drops a closed socket by itself only where no child process has it too.
    func forget(_ socket: Int32) {
        trace.closed(socket)
        unnamed.remove(socket)
        guard interests.indices.contains(Int(socket)) else { return }
        unregister(socket)
        interests[Int(socket)].ends.map { connections[$0] = nil }
        interests[Int(socket)].wanted = 0
        interests[Int(socket)].isConnection = false
        interests[Int(socket)].ends = nil
    }

    /// Has the kernel watch the new socket, which is always ready.
    func cut(_ socket: Int32) {
        // `wasCut` is called for each in the same drive.
        if cutConnections.count >= 1_000 { cutConnections = [] }
        cutConnections.insert(number(of: socket))
        guard interests.indices.contains(Int(socket)), interests[Int(socket)].isConnection else {
            return
        }
        interests[Int(socket)].registered = 0
        markDirty(socket)
    }

    /// Whether a connection was closed because its peer kept the thread busy (`CallWatch`).
    func wasCut(_ connection: UInt64) -> Bool {
        !cutConnections.isEmpty && cutConnections.contains(connection)
    }

    /// The number of the connection that a socket is, or was last; 0 for none.
    func number(of socket: Int32) -> UInt64 {
        interests.indices.contains(Int(socket)) ? interests[Int(socket)].number : 0
    }

    var openConnections: [UInt64] { interests.filter(\.isConnection).map(\.number) }

    /// The connection with these ends; nil where there is none.
    ///
    /// Every request needs this, so the system is asked once for each connection.
    func connection(with ends: ConnectionEnds) -> Int32? {
        if let known = connections[ends] { return known }
        for socket in unnamed {
            guard let found = ConnectionEnds(of: socket) else { continue }
            unnamed.remove(socket)
            connections[found] = socket
            interests[Int(socket)].ends = found
        }
        return connections[ends]
    }

    private func grow(to index: Int) {
        if index >= interests.count {
            interests.append(
                contentsOf: repeatElement(Interest(), count: index + 1 - interests.count))
        }
    }

    /// Makes the descriptor readable at a time of the monotonic clock, in nanoseconds; nil disarms.
    func setDeadline(_ deadline: UInt64?) {
        guard deadline != armedDeadline else { return }
        armedDeadline = deadline
        // Zero disarms; a time that has passed fires at once.
        _ = clinux_set_timer(timer, deadline.map { max($0, 1) } ?? 0)
    }

    /// 0 means once libcurl has returned.
    func setTimer(milliseconds: Int) {
        curlDeadline =
            switch milliseconds {
            case ..<0: nil
            case 0: 0
            default: MonotonicClock.now + UInt64(milliseconds) * 1_000_000
            }
    }

    /// Whether libcurl's timer is due; if so, it is cleared.
    func takeTimer(at now: UInt64) -> Bool {
        guard let deadline = curlDeadline, deadline <= now else { return false }
        curlDeadline = nil
        return true
    }

    /// Calls `body` for each ready socket, without waiting.
    ///
    /// - Parameter mayContinue: called after each; where it returns false, the next look begins with the others.
    /// - Returns: how many descriptors were ready, timer and event included.
    func look(
        while mayContinue: () -> Bool = { true },
        _ body: (_ socket: Int32, _ readable: Bool, _ writable: Bool, _ failed: Bool) -> Void
    ) -> Int {
        applyChanges()
        let count = epoll_wait(descriptor, &ready, Int32(ready.count), 0)
        guard count > 0 else { return 0 }
        let first = stoppedAt.flatMap { last in
            ready[..<Int(count)].firstIndex { $0.data.fd == last }
        }
        stoppedAt = nil
        for step in 0..<Int(count) {
            let index = (step + (first ?? 0)) % Int(count)
            let socket = ready[index].data.fd
            let events = ready[index].events
            if socket == timer {
                var expirations: UInt64 = 0
                read(timer, &expirations, 8)
                armedDeadline = nil
            } else if socket == wakeUpEvent.descriptor {
                wakeUpEvent.clear()
            } else if interests[Int(socket)].wanted == 0 {
                unregister(socket)
            } else {
                body(
                    socket, events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0,
                    events & EPOLLOUT.rawValue != 0, events & EPOLLERR.rawValue != 0)
                guard step + 1 == Int(count) || mayContinue() else {
                    stoppedAt = ready[(index + 1) % Int(count)].data.fd
                    break
                }
            }
        }
        return Int(count)
    }

    /// Passes to the kernel what changed since the last look.
    func applyChanges() {
        for socket in dirty {
            let interest = interests[Int(socket)]
            interests[Int(socket)].isDirty = false
            if interest.wanted == interest.registered { continue }
            if interest.wanted == 0 {
                // libcurl soon reads from an idle connection again.
                if interest.registered != EPOLLIN.rawValue { unregister(socket) }
                continue
            }
            control(
                interest.registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, interest.wanted)
            interests[Int(socket)].registered = interest.wanted
        }
        dirty.removeAll(keepingCapacity: true)
    }

    private func unregister(_ socket: Int32) {
        guard interests[Int(socket)].registered != 0 else { return }
        control(EPOLL_CTL_DEL, socket, 0)
        interests[Int(socket)].registered = 0
    }

    private func control(_ action: Int32, _ socket: Int32, _ events: UInt32) {
        var event = epoll_event(events: events, data: epoll_data_t(fd: socket))
        guard epoll_ctl(descriptor, action, socket, &event) != 0 else { return }
        switch (action, errno) {
        case (EPOLL_CTL_DEL, _):
            // The kernel has removed it by itself.
            break
        case (EPOLL_CTL_ADD, EEXIST):
            control(EPOLL_CTL_MOD, socket, events)
        case (EPOLL_CTL_MOD, ENOENT):
            // libcurl closed it without a callback, and the kernel reused its number.
            control(EPOLL_CTL_ADD, socket, events)
        case (_, let code):
            refusal = URLError(
                .resourceUnavailable,
                described: [
                    NSLocalizedDescriptionKey:
                        "The system cannot watch a socket (epoll_ctl): "
                        + String(cString: strerror(code))
                ])
        }
    }
}

/// An eventfd by which any thread wakes a transport's run loop.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; each call is one system call on a constant.
final class WakeUpEvent: Sendable {
    /// -1 where no descriptors are left.
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func signal() {
        eventfd_write(descriptor, 1)
    }

    /// To be called when it was found readable.
    func clear() {
        var value: eventfd_t = 0
        eventfd_read(descriptor, &value)
    }
}
