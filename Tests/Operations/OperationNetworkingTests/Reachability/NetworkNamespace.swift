import CurlConnection
import TestSupport

#if os(Linux)
    /// A network of its own for one thread; at first it has nothing but a loopback interface, off.
    ///
    /// Sockets opened in `perform` and changes made by `ip` belong to it. It ends with its thread.
    /// Threads that start from its thread are in it too, Dispatch's among them, so these tests need
    /// a process of their own: `NETWORK_NAMESPACES=1 swift test --filter NetlinkMonitorTests`.
    final class NetworkNamespace: Sendable {
        /// Why there can be none here; nil when there can.
        static let refusal: String? = {
            guard ProcessInfo.processInfo.environment["NETWORK_NAMESPACES"] == "1" else {
                return "NETWORK_NAMESPACES is not 1"
            }
            let refusal = NetworkNamespace().refusal
            if let refusal { print("Tests in network namespaces are skipped: \(refusal)") }
            return refusal
        }()

        private struct State {
            var jobs: [@Sendable () -> Void] = []
            var isOver = false
            var refusal: String?
        }

        private let state: Locked<State>
        private let news: DispatchSemaphore

        private var refusal: String? { state.withLock { $0.refusal } }

        init() {
            // The thread holds these, not the namespace: so that is gone when its user lets go.
            let (state, news) = (Locked(State()), DispatchSemaphore(value: 0))
            self.state = state
            self.news = news
            let thread = Thread {
                let refusal = Self.enter()
                state.withLock { $0.refusal = refusal }
                while !state.withLock({ $0.isOver }) {
                    news.wait()
                    let jobs = state.withLock { state in
                        defer { state.jobs = [] }
                        return state.jobs
                    }
                    jobs.forEach { $0() }
                }
            }
            thread.start()
            perform {}
        }

        deinit {
            state.withLock { $0.isOver = true }
            news.signal()
        }

        /// Runs a job on the thread and waits for its result.
        @discardableResult
        func perform<Value: Sendable>(_ job: @escaping @Sendable () -> Value) -> Value {
            let (result, done) = (Locked<Value?>(nil), DispatchSemaphore(value: 0))
            state.withLock {
                $0.jobs.append {
                    let value = job()
                    result.withLock { $0 = value }
                    done.signal()
                }
            }
            news.signal()
            done.wait()
            return required { try #require(result.withLock { $0 }) }
        }

        /// Runs `ip` with the words of each line.
        func ip(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) {
            // Never in the machine's own network.
            guard refusal == nil else {
                Issue.record("There is no namespace.", sourceLocation: sourceLocation)
                return
            }
            let failed = Log<String>()
            perform {
                for line in lines {
                    let words = line.split(separator: " ").map(String.init)
                    if Self.run(["ip"] + words) != 0 { failed.add(line) }
                }
            }
            #expect(failed.all.isEmpty, sourceLocation: sourceLocation)
        }

        /// Takes the calling thread to a new namespace; tells why not.
        private static func enter() -> String? {
            // Swift's Glibc module has neither unshare nor CLONE_NEWNET.
            typealias Unshare = @convention(c) (Int32) -> Int32
            guard let symbol = dlsym(nil, "unshare") else { return "The C library has no unshare." }
            guard unsafeBitCast(symbol, to: Unshare.self)(0x4000_0000) == 0 else {
                return "unshare: " + String(cString: strerror(errno))
            }
            // Tried with what the tests need; the pair goes as it came.
            let pair = ["ip", "link", "add", "try0", "type", "veth", "peer", "name", "try1"]
            guard run(pair) == 0, run(["ip", "link", "del", "try0"]) == 0 else {
                return "ip does not make interfaces of type veth."
            }
            return nil
        }

        /// Runs a program in the calling thread's namespace; returns how it ended.
        private static func run(_ words: [String]) -> Int32 {
            var arguments = words.map { strdup($0) } + [nil]
            defer { arguments.forEach { free($0) } }
            var child: pid_t = 0
            guard posix_spawnp(&child, words[0], nil, nil, &arguments, environ) == 0 else {
                return -1
            }
            var status: Int32 = -1
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            return status
        }
    }
#endif
