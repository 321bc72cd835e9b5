#if os(Linux)
    import Dispatch
    import Foundation
    import Locking

    /// Watches the kernel's interfaces, addresses and routes through two route sockets.
    ///
    /// A change that may matter, or an overflow, makes it request all lists again, because the
    /// kernel drops some routes without a message. Facts equal to the last ones are not reported
    /// again. It watches the network namespace of the thread that starts it. Where route sockets
    /// are refused, as in some containers, its one report is nil.
    ///
    /// ## Concurrency
    /// Call from: any thread. Lock: one around the source. Calls out on: `queue`, not under it.
    final class NetlinkMonitor: ReachabilityMonitor {
        private let target: ReachabilityTarget
        private let queue = DispatchQueue(label: "networking.reachability")
        private let source = Locked<(any DispatchSourceRead)?>(nil)

        init(target: ReachabilityTarget) {
            self.target = target
        }

        deinit {
            stop()
        }

        func start(_ report: @escaping @Sendable (ReachabilityFacts?) -> Void) {
            guard let changes = NetlinkSocket.forChanges(), let lists = NetlinkSocket.forLists()
            else { return queue.async { report(nil) } }
            let watch = NetlinkWatch(
                target: target, changes: changes, lists: lists, report: report)
            let source = DispatchSource.makeReadSource(
                fileDescriptor: changes.descriptor, queue: queue)
            source.setEventHandler { [weak self] in
                if !watch.hear() { self?.stop() }
            }
            // Keeps the sockets open until no handler can run any more.
            source.setCancelHandler { withExtendedLifetime(watch) {} }
            self.source.withLock { $0 = source }
            queue.async { watch.look() }
            source.activate()
        }

        func stop() {
            source.withLock { $0?.cancel() }
        }
    }

    /// The state of a monitor that only its queue uses.
    ///
    /// ## Concurrency
    /// Call from: the monitor's queue. Lock: none. Calls out on: that queue.
    private final class NetlinkWatch: @unchecked Sendable {
        // @unchecked because only the monitor's serial queue touches it.

        private let target: ReachabilityTarget
        private let report: @Sendable (ReachabilityFacts?) -> Void
        private let changes: NetlinkSocket
        private let lists: NetlinkSocket
        /// The facts reported last; the outer nil means that nothing was reported yet.
        private var last: ReachabilityFacts??

        init(
            target: ReachabilityTarget, changes: NetlinkSocket, lists: NetlinkSocket,
            report: @escaping @Sendable (ReachabilityFacts?) -> Void
        ) {
            self.target = target
            self.changes = changes
            self.lists = lists
            self.report = report
        }

        /// Reads the kernel's messages since the last call.
        ///
        /// - Returns: false when the socket will receive nothing more.
        func hear() -> Bool {
            var isNews = false
            // The number is limited, so that a busy kernel cannot keep the monitor from requesting
            // the lists.
            for _ in 0..<1_000 {
                switch changes.receive() {
                case .datagram(let datagram):
                    isNews =
                        isNews
                        || NetlinkMessage.all(in: datagram).contains { $0.concerns(target) }
                case .overflow:
                    isNews = true
                case .nothing:
                    if isNews { look() }
                    return true
                case .failure:
                    tell(nil)
                    return false
                }
            }
            look()
            return true
        }

        /// Requests all lists. A change meanwhile also arrives as a message, so the lists received
        /// last suffice until then.
        func look() {
            tell(lists.facts(for: target))
        }

        private func tell(_ facts: ReachabilityFacts?) {
            guard last != .some(facts) else { return }
            last = .some(facts)
            report(facts)
        }
    }
#endif
