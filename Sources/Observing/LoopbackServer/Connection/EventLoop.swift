#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The loop: one thread, one `poll` for the listener, the wake pipe, and every connection.
///
/// ## Concurrency
/// Made and used on the loop's thread alone; other threads reach it through the wake pipe.
final class EventLoop {
    private static let firstConnection = 2
    private static let acceptPause: UInt64 = 20_000_000

    private let wakePipe: Int32
    private let listener: Int32
    private let context: LoopContext
    private let mustStop: () -> Bool
    /// The wake pipe, the listener, then one entry for each connection, in the same order.
    private var polls: [pollfd]
    private var connections: [Connection] = []
    private var accepted = 0
    /// When the listener is polled again after the process had no descriptor left.
    private var acceptAgain = UInt64.max

    /// Owns both descriptors and closes them at the end of `run`.
    init(
        wakePipe: Int32, listener: Int32, state: ServerState, tls: TLSContext?,
        mustStop: @escaping () -> Bool
    ) {
        self.wakePipe = wakePipe
        self.listener = listener
        self.mustStop = mustStop
        context = LoopContext(state, tls: tls)
        polls = [wakePipe, listener].map {
            pollfd(fd: $0, events: Sockets.readable, revents: 0)
        }
    }

    /// Runs until it was woken and `mustStop` is true.
    func run() {
        while true {
            wait(timeout())
            if polls[0].revents != 0 {
                Sockets.drain(wakePipe, context.scratch)
                if mustStop() { break }
                for connection in connections where connection.waitsAtGate { connection.resume() }
            }
            handleEvents()
            handleTimes()
            if polls[1].revents != 0 { acceptAll() }
            settle()
        }
        for connection in connections { connection.end(.abandoned) }
        connections = []
        Sockets.closeDescriptor(listener)
        Sockets.closeDescriptor(wakePipe)
    }

    // MARK: Waiting

    private func wait(_ milliseconds: Int32) {
        let count = polls.count
        if poll(&polls, nfds_t(count), milliseconds) < 0 {
            for index in polls.indices { polls[index].revents = 0 }
        }
    }

    /// Milliseconds to the next deadline, rounded up; -1 without one.
    private func timeout() -> Int32 {
        var next = acceptAgain
        for connection in connections where connection.deadline < next {
            next = connection.deadline
        }
        if next == .max { return -1 }
        let now = Sockets.now()
        if next <= now { return 0 }
        return Int32(min((next - now + 999_999) / 1_000_000, 3_600_000))
    }

    // MARK: Events

    /// Handles connections that send responses before connections that read requests.
    ///
    /// A client may disconnect and then send a request on another connection; both must not be
    /// counted as in flight. `poll` looks at the descriptors one after the other, so it can report
    /// the later request and miss the earlier disconnection. A second `poll` that does not wait
    /// sees everything that happened before a request.
    private func handleEvents() {
        var responding = false
        var reading = false
        for index in connections.indices {
            if connections[index].phase == .responding {
                responding = true
            } else if polls[index + EventLoop.firstConnection].revents != 0 {
                reading = true
            }
        }
        if responding, reading { wait(0) }
        guard responding else {
            _ = handle { _ in true }
            return
        }
        for index in handle({ $0.phase == .responding }) { report(index) }
    }

    /// Reports events to connections of one kind.
    ///
    /// - Returns: the indices of the others.
    private func handle(_ isWanted: (Connection) -> Bool) -> [Int] {
        var others: [Int] = []
        for index in connections.indices
        where polls[index + EventLoop.firstConnection].revents != 0 {
            if isWanted(connections[index]) { report(index) } else { others.append(index) }
        }
        return others
    }

    private func report(_ index: Int) {
        connections[index].ready(polls[index + EventLoop.firstConnection].revents)
    }

    private func handleTimes() {
        let now = Sockets.now()
        for connection in connections where connection.deadline <= now { connection.resume() }
        if acceptAgain <= now {
            acceptAgain = .max
            polls[1].events = Sockets.readable
        }
    }

    private func acceptAll() {
        while true {
            switch Sockets.acceptOne(listener) {
            case .moved(let descriptor):
                accepted += 1
                let descriptor = Int32(descriptor)
                connections.append(
                    Connection(descriptor, number: accepted, context: context))
                polls.append(pollfd(fd: descriptor, events: Sockets.readable, revents: 0))
            case .blocked:
                return
            case .ended:
                polls[1].events = 0
                acceptAgain = Sockets.now() + EventLoop.acceptPause
                return
            }
        }
    }

    /// Removes closed connections and updates the events to poll for.
    private func settle() {
        for index in connections.indices.reversed() {
            let place = index + EventLoop.firstConnection
            if connections[index].phase == .closed {
                connections.swapAt(index, connections.count - 1)
                polls.swapAt(place, polls.count - 1)
                connections.removeLast()
                polls.removeLast()
            } else {
                polls[place].events = connections[index].interest
            }
        }
    }
}
