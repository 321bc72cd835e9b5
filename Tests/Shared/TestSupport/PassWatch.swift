/// Measures how long the passes of a thread's run loop are, in its own time on the processor: how busy the
/// machine is does not count.
///
/// ## Concurrency
/// Call from: any thread but the one that is watched. Lock: those of what it counts.
package final class PassWatch: @unchecked Sendable {
    // @unchecked because the timer is set once; libdispatch guards it.
    private let seen = Watched((last: UInt64?.none, longest: UInt64(0), jobs: 0))
    private let perform: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let timer = DispatchSource.makeTimerSource()

    /// - Parameter perform: runs a block on the thread, in its run loop.
    package init(perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.perform = perform
        timer.schedule(deadline: .now(), repeating: .milliseconds(5))
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
        look()
        _ = seen.blockUntil { $0.jobs > 0 }
    }

    /// The longest that a pass may be in a debug build, in seconds of processor time.
    ///
    /// On a busy machine the timer is late, and what is measured are several passes: up to 0.26 s was seen, of passes below
    /// 0.1 s. A pass that a peer can make long takes seconds. Under the thread sanitizer the same work takes about ten times
    /// as long.
    package static let limit = dlsym(nil, "__tsan_init") == nil ? 0.5 : 2.5

    /// The longest time between two of its jobs so far, in seconds.
    package var longest: Double { Double(seen.now.longest) / 1e9 }

    /// Ends it once the thread has done what it is at, and gives the longest time.
    package func end() -> Double {
        timer.cancel()
        let before = seen.now.jobs
        look()
        _ = seen.blockUntil { $0.jobs > before }
        return longest
    }

    private func look() {
        perform { [seen] in
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            let now = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
            seen.change {
                if let last = $0.last { $0.longest = max($0.longest, now - last) }
                $0.last = now
                $0.jobs += 1
            }
        }
    }
}
