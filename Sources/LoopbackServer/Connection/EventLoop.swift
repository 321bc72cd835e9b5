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
    /// The wake pipe, the listener, then one entry for each connection at the same place.
    private var polls: [pollfd]
    private var connections: [Connection] = []
    private var accepted = 0
    /// When the listener is polled again after the process ran out of descriptors.
    private var acceptAgain = UInt64.max

    /// Takes both descriptors over and closes them at the end of `run`.
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

    /// Runs until `mustStop` says so after a wake.
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

    /// Handles connections that answer before those that read.
    ///
    /// A client that left on one connection and then asked on another must not be counted twice.
    /// The kernel looks at the descriptors one after the other, so a second look without waiting
    /// is needed to see the leaving of everything that precedes a request.
    private func handleEvents() {
        var answering = false
        var reading = false
        for index in connections.indices {
            if connections[index].phase == .answering {
                answering = true
            } else if polls[index + EventLoop.firstConnection].revents != 0 {
                reading = true
            }
        }
        if answering, reading { wait(0) }
        guard answering else {
            _ = handle { _ in true }
            return
        }
        for index in handle({ $0.phase == .answering }) { report(index) }
    }

    /// Reports events to connections of one kind and returns the places of the others.
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

    /// Drops closed connections and renews what is polled for.
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
