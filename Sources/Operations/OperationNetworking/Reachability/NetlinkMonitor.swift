import CLinux
import Foundation
import Glibc
import Locking

/// Watches whether a target is reachable.
package protocol ReachabilityMonitor: AnyObject, Sendable {
    /// Reports the status soon, and again after each change of it or of the interface, until `stop()`.
    ///
    /// Called once. It does not block.
    ///
    /// - Parameter report: called in order on a thread of the monitor's; with `.unknown` if the kernel
    ///   refuses to say.
    func start(_ report: @escaping @Sendable (NetworkReachabilityStatus) -> Void)

    /// Stops watching; may be called inside a report. One more report may follow.
    func stop()
}

/// The monitor that a manager has started last. Each start and stop has a number, so that late reports of an
/// earlier monitor can be dropped.
package struct MonitorRun {
    package private(set) var number = 0
    private var monitor: (any ReachabilityMonitor)?

    package init() {}

    /// Starts a monitor, after the earlier one is stopped.
    ///
    /// - Parameter report: called on a thread of the monitor's, with the number of this start.
    package mutating func begin(
        _ monitor: any ReachabilityMonitor,
        _ report: @escaping @Sendable (NetworkReachabilityStatus, Int) -> Void
    ) {
        end()
        self.monitor = monitor
        let run = number
        monitor.start { report($0, run) }
    }

    package mutating func end() {
        number += 1
        monitor?.stop()
        monitor = nil
    }
}

/// Asks the kernel for the route again after each message about interfaces, addresses, routes or rules.
///
/// The messages' contents are not read, and equal answers are not reported again. It watches the network
/// namespace of the thread that starts it. If the kernel refuses netlink sockets, as in some containers,
/// the only report is `.unknown`.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the descriptors. Calls out on: its own thread, not under the
/// lock.
final class NetlinkMonitor: ReachabilityMonitor {
    private let target: ReachabilityTarget
    private let pauses: [Int32]
    private let startThread: SystemThread.Starter
    private let descriptors = Locked<Descriptors?>(nil, isInner: true)

    /// - Parameter pauses: milliseconds without a message before each repeated query; the last is -1,
    ///   for no further one. The kernel reports a change before it removes the routes that depend on
    ///   it, and does not report those.
    init(
        target: ReachabilityTarget, pauses: [Int32] = [100, 1_000, -1],
        startingBy startThread: @escaping SystemThread.Starter = SystemThread.start
    ) {
        self.target = target
        self.pauses = pauses
        self.startThread = startThread
    }

    deinit {
        stop()
    }

    func start(_ report: @escaping @Sendable (NetworkReachabilityStatus) -> Void) {
        let opened = Descriptors()
        descriptors.withLock { $0 = opened }
        do {
            // A thread, not a queue: `getifaddrs` reads the namespace of its thread.
            try startThread { [target, pauses] in
                Thread.current.name = "Reachability"
                Self.watch(target, opened, pauses, report)
            }
        } catch {
            DispatchQueue.global().async { report(.unknown) }
        }
    }

    func stop() {
        descriptors.withLock { $0 }?.stop()
    }

    private static func watch(
        _ target: ReachabilityTarget, _ descriptors: Descriptors?, _ pauses: [Int32],
        _ report: (NetworkReachabilityStatus) -> Void
    ) {
        guard let descriptors else { return report(.unknown) }
        var last: ReachabilityAnswer?
        var queries = 0
        while true {
            let answer = target.answer()
            if answer != last {
                last = answer
                report(answer.status)
            }
            switch descriptors.wait(pauses[queries]) {
            case .news: queries = 0
            case .silence: queries += 1
            case .stop: return
            case .failure: return last == .unknown ? () : report(.unknown)
            }
        }
    }
}

/// A netlink socket, and an event descriptor that ends the wait for it; closed when released.
private final class Descriptors: Sendable {
    enum Event {
        case news, silence, stop, failure
    }

    private let news = clinux_network_news()
    private let stopped = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    init?() {
        if news < 0 || stopped < 0 { return nil }
    }

    deinit {
        for descriptor in [news, stopped] where descriptor >= 0 { close(descriptor) }
    }

    func stop() {
        eventfd_write(stopped, 1)
    }

    /// - Parameter patience: in milliseconds; negative for no limit.
    func wait(_ patience: Int32) -> Event {
        var files = [news, stopped].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = poll(&files, 2, patience)
        if count == 0 { return .silence }
        if count < 0 { return errno == EINTR ? .news : .failure }
        return files[1].revents != 0 ? .stop : takeNews()
    }

    /// Drops the messages that have come. Their number is limited, so that the monitor also queries
    /// the route while the kernel sends messages all the time.
    private func takeNews() -> Event {
        var byte: UInt8 = 0
        for _ in 0..<1_000 where recv(news, &byte, 1, 0) < 0 {
            switch errno {
            // ENOBUFS: messages were lost because the socket's buffer was full.
            case EINTR, ENOBUFS: continue
            case EAGAIN: return .news
            default: return .failure
            }
        }
        return .news
    }
}
