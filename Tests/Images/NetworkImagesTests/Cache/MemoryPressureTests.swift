import TestSupport

@testable import NetworkImages

@Suite("Memory pressure", .timeLimit(.minutes(1)))
struct MemoryPressureTests {
    /// A source that a test fires.
    private final class Source: MemoryPressureSource, MemoryPressureWatch {
        let call = Locked<(@Sendable () -> Void)?>(nil)
        let stopped = Signal()

        func watch(
            _ onPressure: @escaping @Sendable () -> Void
        ) throws -> any MemoryPressureWatch {
            call.withLock { $0 = onPressure }
            return self
        }

        func stop() { stopped.fire() }

        func fire() { call.withLock { $0 }?() }
    }

    @Test func `switched on, a sign of pressure empties the cache; it can be turned off`() throws {
        let (cache, source) = (AutoPurgingImageCache(), Source())
        cache.add(try Pixels.plain(2, 2), withIdentifier: "a")
        try cache.purge(on: source)
        #expect(cache.memoryUsage > 0)
        source.fire()
        #expect(cache.memoryUsage == 0 && source.stopped.count == 0)
        try cache.purge(on: nil)
        #expect(source.stopped.count == 1)
    }

    @Test func `a cache that is released ends its subscription, which does not retain it`() throws {
        let source = Source()
        weak var gone: AutoPurgingImageCache?
        do {
            let cache = AutoPurgingImageCache()
            try cache.purge(on: source)
            gone = cache
        }
        #expect(gone == nil && source.stopped.count == 1)
        source.fire()
    }

    @Test func `a file that is not there is an error, and the cache keeps what it had`() throws {
        let (cache, source) = (AutoPurgingImageCache(), Source())
        try cache.purge(on: source)
        for kernel in [
            KernelMemoryPressure.stalled(path: "/nowhere/pressure"),
            KernelMemoryPressure.events(path: "/nowhere/events"),
        ] {
            #expect(throws: POSIXError.self) { try cache.purge(on: kernel) }
        }
        #expect(source.stopped.count == 0)
    }

    @Test func `a removed group ends the watch: an error for a stall, for counts no more reading`()
    {
        let (urgent, both) = (Int16(POLLPRI), Int16(POLLPRI | POLLERR))
        #expect(KernelReport.stall(urgent) == .pressure)
        #expect(KernelReport.stall(both) == .ended)
        #expect(KernelReport.stall(Int16(POLLERR)) == .ended)
        #expect(KernelReport.counts(both, before: 4, now: 5) == .pressure)
        #expect(KernelReport.counts(both, before: 4, now: 4) == .nothing)
        #expect(KernelReport.counts(both, before: 4, now: nil) == .ended)
        #expect(KernelReport.counts(Int16(POLLERR), before: 4, now: 5) == .ended)
    }

    private static func openPressure() -> Int32 {
        open("/proc/pressure/memory", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }

    private static let hasPressure: Bool = {
        let file = openPressure()
        defer { close(file) }
        return file >= 0
    }()

    @Test(.enabled(if: hasPressure, "The kernel has no /proc/pressure."))
    func `a file that reports an error for ever ends the thread of a stall's watch`() async throws {
        // Without a trigger the kernel reports here what it reports of a removed group.
        let file = Self.openPressure()
        try #require(file >= 0)
        let (calls, gone) = (Signal(), Signal())
        let sentinel = Sentinel(gone)
        let watch = try KernelWatch(file, report: KernelReport.stall) { [sentinel] in
            sentinel.touch()
            calls.fire()
        }
        _ = consume sentinel
        await gone.wait()
        #expect(calls.count == 0)
        watch.stop()
    }

    @Test func `the kernel's file is watched on a thread of its own, until it is stopped`()
        async throws
    {
        let calls = Signal()
        let folder = TemporaryFolder()
        let lines = "low 0\nhigh 3\nmax 1\noom 0\noom_kill 0\n"
        let events = try folder.write("memory.events", Data(lines.utf8))
        let gone = Signal()
        let sentinel = Sentinel(gone)
        var watch: (any MemoryPressureWatch)? = try KernelMemoryPressure.events(path: events.path)
            .watch { [sentinel] in
                sentinel.touch()
                calls.fire()
            }
        _ = consume sentinel
        #expect(gone.count == 0)
        watch?.stop()
        watch?.stop()
        watch = nil
        // The thread has ended, and with it what it held.
        await gone.wait()
        #expect(calls.count == 0)
    }
}
