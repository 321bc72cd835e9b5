#if os(Linux)
    import CLinux
    import Foundation
    import Glibc
    import Locking

    /// Asks the kernel again whenever it has news of interfaces, addresses, routes or rules.
    ///
    /// What the news say is not read. Answers equal to the last one are not reported again. It
    /// watches the network namespace of the thread that starts it. Where route sockets are refused,
    /// as in some containers, its one report is `.unknown`.
    ///
    /// ## Concurrency
    /// Call from: any thread. Lock: one around the descriptors. Calls out on: its own thread, not
    /// under it.
    final class NetlinkMonitor: ReachabilityMonitor {
        private let target: ReachabilityTarget
        private let pauses: [Int32]
        private let startThread: SystemThread.Starter
        private let descriptors = Locked<Descriptors?>(nil)

        /// - Parameter pauses: milliseconds without news before each further look; the last is -1,
        ///   for none. The kernel tells of a change before it has dropped the routes that go with
        ///   it, and of those it says nothing.
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
                // A thread, not a queue: `getifaddrs` answers for the namespace of its thread.
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
            var looks = 0
            while true {
                let answer = target.answer()
                if answer != last {
                    last = answer
                    report(answer.status)
                }
                switch descriptors.wait(pauses[looks]) {
                case .news: looks = 0
                case .silence: looks += 1
                case .stop: return
                case .failure: return last == .unknown ? () : report(.unknown)
                }
            }
        }
    }

    /// Descriptors that are closed with the last who uses them.
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

        /// - Parameter patience: in milliseconds; negative for ever.
        func wait(_ patience: Int32) -> Event {
            var files = [news, stopped].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = poll(&files, 2, patience)
            if count == 0 { return .silence }
            if count < 0 { return errno == EINTR ? .news : .failure }
            return files[1].revents != 0 ? .stop : takeNews()
        }

        /// Takes what has come, unread. The number is limited, so that a busy kernel cannot keep
        /// the monitor from asking.
        private func takeNews() -> Event {
            var byte: UInt8 = 0
            for _ in 0..<1_000 where recv(news, &byte, 1, 0) < 0 {
                switch errno {
                // With ENOBUFS there was more than the socket could hold.
                case EINTR, ENOBUFS: continue
                case EAGAIN: return .news
                default: return .failure
                }
            }
            return .news
        }
    }
#endif
