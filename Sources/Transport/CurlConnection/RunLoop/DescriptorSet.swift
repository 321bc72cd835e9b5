import CLinux
import EventRecorder
import Foundation

/// One epoll: all of libcurl's sockets, one timer and one event for wake-ups from other threads.
///
/// Its own descriptor becomes readable whenever any of them is, so one run-loop source watches all.
/// The kernel is told of changes at the next look only: libcurl drops a socket and watches it again
/// around each request, and most such pairs cancel out. A kept connection stays with the kernel until
/// bytes come that nobody waits for.
///
/// ## Concurrency
/// Call from: the transport's thread; `wakeUp` from any thread. Lock: none.
final class DescriptorSet: CurlEventLoop {
    // MARK: Set once

    let descriptor: Int32
    private let timer: Int32
    /// What wakes the run loop from other threads.
    let wakeUpEvent = WakeUpEvent()
    let trace = SocketTrace()

    // MARK: The transport's thread only

    // Unchecked for speed, because libcurl calls for each socket of each request: nothing is called while one of them
    // changes.

    private struct Interest {
        var registered: UInt32 = 0
        var wanted: UInt32 = 0
        var isDirty = false
        /// One of libcurl's connections: `forget` is called before it is closed. libcurl closes its
        /// other sockets without a call.
        var isConnection = false
        /// Of the connections that it was, the last one's; each has its own.
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
    /// The first of those that the last look has left; the kernel tells of them again.
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

    /// Runs also where the initializer has thrown.
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
        makeRoom(for: index)
        interests[index].wanted =
            (reading ? EPOLLIN.rawValue : 0) | (writing ? EPOLLOUT.rawValue : 0)
        if !reading, !writing, !interests[index].isConnection {
            // libcurl may close it before the next look, and the kernel reuse its number.
            leave(socket)
        }
        if !interests[index].isDirty {
            interests[index].isDirty = true
            dirty.append(socket)
        }
    }

    func adopt(_ socket: Int32) {
        makeRoom(for: Int(socket))
        connectionCount += 1
        interests[Int(socket)].number = connectionCount
        interests[Int(socket)].registered = 0
        interests[Int(socket)].isConnection = true
        unnamed.insert(socket)
        trace.opened(socket)
    }

    /// The kernel forgets a closed socket by itself only where no child of this process has it too.
    func forget(_ socket: Int32) {
        trace.closed(socket)
        unnamed.remove(socket)
        guard interests.indices.contains(Int(socket)) else { return }
        leave(socket)
        interests[Int(socket)].ends.map { connections[$0] = nil }
        interests[Int(socket)].wanted = 0
        interests[Int(socket)].isConnection = false
        interests[Int(socket)].ends = nil
    }

    /// The kernel watched the socket that was replaced, so it is told of the other one. That is always ready.
    func cut(_ socket: Int32) {
        // Each is asked for in the drive that follows.
        if cutConnections.count >= 1_000 { cutConnections = [] }
        cutConnections.insert(number(of: socket))
        guard interests.indices.contains(Int(socket)), interests[Int(socket)].isConnection else {
            return
        }
        interests[Int(socket)].registered = 0
        if !interests[Int(socket)].isDirty {
            interests[Int(socket)].isDirty = true
            dirty.append(socket)
        }
    }

    func wasCut(_ connection: UInt64) -> Bool {
        !cutConnections.isEmpty && cutConnections.contains(connection)
    }

    /// The number of the connection that a socket is, or was last; 0 where it was none.
    func number(of socket: Int32) -> UInt64 {
        interests.indices.contains(Int(socket)) ? interests[Int(socket)].number : 0
    }

    /// The numbers of the connections that are open.
    var openConnections: [UInt64] { interests.filter(\.isConnection).map(\.number) }

    /// The connection with these ends; nil where there is none.
    ///
    /// The system is asked once for each connection, because every request needs this.
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

    private func makeRoom(for index: Int) {
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

    /// A timer of zero is due at once, and runs when libcurl has returned.
    func setTimer(milliseconds: Int) {
        curlDeadline =
            switch milliseconds {
            case ..<0: nil
            case 0: 0
            default: MonotonicClock.now + UInt64(milliseconds) * 1_000_000
            }
    }

    /// Whether libcurl's timer is due; it must be set anew then.
    func takeTimer(at now: UInt64) -> Bool {
        guard let deadline = curlDeadline, deadline <= now else { return false }
        curlDeadline = nil
        return true
    }

    /// Calls `body` for each ready socket, without waiting.
    ///
    /// - Parameter mayGoOn: asked after each; where it says no, the next look begins with those that are left.
    /// - Returns: how many descriptors were ready, timer and event included.
    func look(
        while mayGoOn: () -> Bool = { true },
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
                leave(socket)
            } else {
                body(
                    socket, events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0,
                    events & EPOLLOUT.rawValue != 0, events & EPOLLERR.rawValue != 0)
                guard step + 1 == Int(count) || mayGoOn() else {
                    stoppedAt = ready[(index + 1) % Int(count)].data.fd
                    break
                }
            }
        }
        return Int(count)
    }

    /// Tells the kernel what changed since the last look.
    func applyChanges() {
        for socket in dirty {
            let interest = interests[Int(socket)]
            interests[Int(socket)].isDirty = false
            if interest.wanted == interest.registered { continue }
            if interest.wanted == 0 {
                // A kept connection is soon wanted again, to read from.
                if interest.registered != EPOLLIN.rawValue { leave(socket) }
                continue
            }
            control(
                interest.registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, interest.wanted)
            interests[Int(socket)].registered = interest.wanted
        }
        dirty.removeAll(keepingCapacity: true)
    }

    private func leave(_ socket: Int32) {
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
            // libcurl closed it without a call, and the kernel reused its number.
            control(EPOLL_CTL_ADD, socket, events)
        case (_, let code):
            refusal = URLError(
                .resourceUnavailable,
                described: [
                    NSLocalizedDescriptionKey:
                        "The system does not watch a socket (epoll_ctl): "
                        + String(cString: strerror(code))
                ])
        }
    }
}
