import CEpoll
import EventRecorder
import Foundation

/// One epoll: all of libcurl's sockets, one timer and one event for wake-ups from other threads.
///
/// Its own descriptor becomes readable whenever any of them is, so one run-loop source watches all.
/// Changes of interest are kept back until the next look: libcurl drops and takes up a socket
/// around each request, and most such pairs cancel out before the kernel hears of them. A kept
/// connection stays with the kernel until something comes that nobody waits for.
///
/// ## Concurrency
/// Call from: the transport's thread; `wakeUp` from any thread. Lock: none.
final class DescriptorSet: CurlSockets {
    // MARK: Set once

    let descriptor: Int32
    private let timer: Int32
    private let event: Int32
    let trace = SocketTrace()

    // MARK: The transport's thread only

    private struct Interest {
        var registered: UInt32 = 0
        var wanted: UInt32 = 0
        var isDirty = false
        /// One of libcurl's connections, whose closing is told; its others close unheard.
        var isConnection = false
        /// What it is known by once somebody has asked for it.
        var ends: ConnectionEnds?
    }

    /// By descriptor: the kernel hands out the smallest free number, so this stays short.
    private var interests: [Interest] = []
    private var connections: [ConnectionEnds: Int32] = [:]
    /// Connections whose ends nobody has asked for yet.
    private var unnamed: Set<Int32> = []
    private var dirty: [Int32] = []
    private var armedDeadline: UInt64?
    private var ready: [epoll_event]

    /// - Throws: `URLError.resourceUnavailable` when the process has no descriptors left.
    init(eventsAtOnce: Int = 256) throws(URLError) {
        ready = [epoll_event](repeating: epoll_event(), count: eventsAtOnce)
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
        event = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        super.init()
        guard descriptor >= 0, timer >= 0, event >= 0 else {
            throw DescriptorRoom.error(for: nil)
        }
        control(EPOLL_CTL_ADD, timer, EPOLLIN.rawValue)
        control(EPOLL_CTL_ADD, event, EPOLLIN.rawValue)
        if let refusal { throw refusal }
    }

    /// Also where the initializer has thrown.
    deinit {
        for opened in [timer, event, descriptor] where opened >= 0 { close(opened) }
    }

    /// Why the kernel watches a socket not as it was told to; nil where it does.
    private(set) var refusal: URLError?

    func takeRefusal() -> URLError? {
        defer { refusal = nil }
        return refusal
    }

    /// What is to be watched of a socket from the next look on; neither means nothing.
    func watch(_ socket: Int32, reading: Bool, writing: Bool) {
        let index = Int(socket)
        makeRoom(for: index)
        interests[index].wanted =
            (reading ? EPOLLIN.rawValue : 0) | (writing ? EPOLLOUT.rawValue : 0)
        if !reading, !writing, !interests[index].isConnection {
            // It may be closed and its number given to another before the next look.
            leave(socket)
        }
        if !interests[index].isDirty {
            interests[index].isDirty = true
            dirty.append(socket)
        }
    }

    /// libcurl has opened a socket for a connection.
    override func adopt(_ socket: Int32) {
        makeRoom(for: Int(socket))
        interests[Int(socket)].registered = 0
        interests[Int(socket)].isConnection = true
        unnamed.insert(socket)
        trace.opened(socket)
    }

    /// The socket is about to be closed. The kernel forgets it by itself only where no child of
    /// this process has it too.
    override func forget(_ socket: Int32) {
        trace.closed(socket)
        unnamed.remove(socket)
        guard interests.indices.contains(Int(socket)) else { return }
        leave(socket)
        interests[Int(socket)].ends.map { connections[$0] = nil }
        interests[Int(socket)].wanted = 0
        interests[Int(socket)].isConnection = false
        interests[Int(socket)].ends = nil
    }

    /// The connection with these ends; nil where there is none.
    ///
    /// Asked of the system once for each connection, since it is needed before every request.
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
        _ = cepoll_set_timer(timer, deadline.map { max($0, 1) } ?? 0)
    }

    /// Makes the descriptor readable now. From any thread.
    func wakeUp() {
        eventfd_write(event, 1)
    }

    /// Calls `body` for each ready socket, without waiting.
    ///
    /// - Returns: how many descriptors were ready, timer and event included.
    func look(_ body: (_ socket: Int32, _ readable: Bool, _ writable: Bool, _ failed: Bool) -> Void)
        -> Int
    {
        applyChanges()
        let count = epoll_wait(descriptor, &ready, Int32(ready.count), 0)
        guard count > 0 else { return 0 }
        for index in 0..<Int(count) {
            let socket = ready[index].data.fd
            let events = ready[index].events
            if socket == timer {
                var expirations: UInt64 = 0
                read(timer, &expirations, 8)
                armedDeadline = nil
            } else if socket == event {
                var value: eventfd_t = 0
                eventfd_read(event, &value)
            } else if interests[Int(socket)].wanted == 0 {
                leave(socket)
            } else {
                body(
                    socket, events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0,
                    events & EPOLLOUT.rawValue != 0, events & EPOLLERR.rawValue != 0)
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
            // The kernel has forgotten it by itself.
            break
        case (EPOLL_CTL_ADD, EEXIST):
            control(EPOLL_CTL_MOD, socket, events)
        case (EPOLL_CTL_MOD, ENOENT):
            // It was closed unheard, and its number given to another.
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
