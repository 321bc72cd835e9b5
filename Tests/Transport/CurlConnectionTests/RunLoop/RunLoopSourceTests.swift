import CoreFoundation
import Synchronization
import TestSupport

@testable import CurlConnection

/// A source that no run loop calls.
private func invalidSource() -> CFRunLoopSource? {
    var context = CFRunLoopSourceContext()
    let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    source.map(CFRunLoopSourceInvalidate)
    return source
}

/// Guards the one undocumented tolerance the transport rests on: CoreFoundation takes an epoll's
/// descriptor for the port of a version-1 source. `dispatchSource` must behave the same.
@Suite("A descriptor as a source of the run loop", .timeLimit(.minutes(5)))
struct RunLoopSourceTests {
    private static let mode = RunLoop.Mode("RunLoopSourceTests.other")

    /// A set of descriptors watched by a source; counts its calls.
    private final class WatchedSet: @unchecked Sendable {
        // @unchecked because only `wakeUp` and `count` are used off the source's thread.
        let set: DescriptorSet
        private let calls = Signal()
        private var source: RunLoopSource?
        var onCall: (() -> Void)?

        init(modes: Set<RunLoop.Mode>, _ mechanism: RunLoopSource.Mechanism) throws {
            set = try DescriptorSet()
            source = try RunLoopSource(
                descriptor: set.descriptor, modes: modes, mechanism: mechanism
            ) { [unowned self] in fired() }
        }

        private func fired() {
            while set.look({ _, _, _, _ in }) > 0 {}
            calls.fire()
            onCall?()
        }

        func invalidate() {
            source?.invalidate()
            source = nil
        }

        var count: Int { calls.count }

        func wait(for count: Int) -> Bool { calls.blocks(until: count) }
    }

    private func withWatched(
        _ mechanism: RunLoopSource.Mechanism, modes: Set<RunLoop.Mode> = [.default],
        _ body: (LoopThread, WatchedSet) -> Void
    ) throws {
        let thread = LoopThread(modes: [.default, Self.mode])
        defer { thread.end() }
        let made = thread.sync { try? WatchedSet(modes: modes, mechanism) }
        let watched = try #require(made ?? nil)
        body(thread, watched)
        _ = thread.sync { watched.invalidate() }
    }

    @Test(arguments: [RunLoopSource.Mechanism.descriptorAsPort, .dispatchSource])
    func `it fires once for each new readiness, and never while idle`(
        mechanism: RunLoopSource.Mechanism
    ) throws {
        try withWatched(mechanism) { thread, watched in
            for round in 1...20 {
                watched.set.wakeUpEvent.signal()
                #expect(watched.wait(for: round))
                thread.settle()
                #expect(watched.count == round)
            }
        }
    }

    @Test(arguments: [RunLoopSource.Mechanism.descriptorAsPort, .dispatchSource])
    func `a readiness from before the source was made is not lost`(
        mechanism: RunLoopSource.Mechanism
    ) throws {
        try withWatched(mechanism) { thread, watched in
            _ = thread.sync {
                watched.invalidate()
                watched.set.wakeUpEvent.signal()
            }
            let again = thread.sync { () -> Box<RunLoopSource> in
                Box(
                    try? RunLoopSource(
                        descriptor: watched.set.descriptor, modes: [.default],
                        mechanism: mechanism
                    ) {
                        while watched.set.look({ _, _, _, _ in }) > 0 {}
                        watched.onCall?()
                    })
            }
            let fired = DispatchSemaphore(value: 0)
            _ = thread.sync {
                watched.onCall = { fired.signal() }
                watched.set.wakeUpEvent.signal()
            }
            #expect(fired.wait(timeout: .now() + patience) == .success)
            _ = thread.sync { again?.value?.invalidate() }
        }
    }

    @Test(arguments: [RunLoopSource.Mechanism.descriptorAsPort, .dispatchSource])
    func `a readiness made inside its own call fires again`(
        mechanism: RunLoopSource.Mechanism
    ) throws {
        try withWatched(mechanism) { thread, watched in
            let left = Box(3)
            _ = thread.sync {
                watched.onCall = {
                    guard let count = left.value, count > 0 else { return }
                    left.value = count - 1
                    watched.set.wakeUpEvent.signal()
                }
            }
            watched.set.wakeUpEvent.signal()
            #expect(watched.wait(for: 4))
            thread.settle()
            #expect(watched.count == 4)
        }
    }

    @Test(arguments: [RunLoopSource.Mechanism.descriptorAsPort, .dispatchSource])
    func `it fires in its modes alone`(mechanism: RunLoopSource.Mechanism) throws {
        try withWatched(mechanism, modes: [Self.mode]) { thread, watched in
            watched.set.wakeUpEvent.signal()
            thread.settle()
            #expect(watched.count == 0)
            thread.turn(to: Self.mode)
            #expect(watched.wait(for: 1))
            thread.settle()
            #expect(watched.count == 1)
        }
    }

    @Test(arguments: [RunLoopSource.Mechanism.descriptorAsPort, .dispatchSource])
    func `nothing is called after invalidate`(mechanism: RunLoopSource.Mechanism) throws {
        try withWatched(mechanism) { thread, watched in
            watched.set.wakeUpEvent.signal()
            #expect(watched.wait(for: 1))
            _ = thread.sync {
                watched.set.wakeUpEvent.signal()
                watched.invalidate()
            }
            watched.set.wakeUpEvent.signal()
            thread.settle()
            #expect(watched.count == 1)
        }
    }

    @Test(arguments: [RunLoopSource.Mechanism.descriptorAsPort, .dispatchSource])
    func `it may be invalidated inside its own call`(mechanism: RunLoopSource.Mechanism) throws {
        try withWatched(mechanism) { thread, watched in
            _ = thread.sync { watched.onCall = { watched.invalidate() } }
            watched.set.wakeUpEvent.signal()
            #expect(watched.wait(for: 1))
            watched.set.wakeUpEvent.signal()
            thread.settle()
            #expect(watched.count == 1)
        }
    }

    @Test func `the run loop has no source left after invalidate`() throws {
        // Given a thread whose loop has this source alone
        let result = Box<[Bool]>([])
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let mode = Self.mode
            if let watched = try? WatchedSet(modes: [mode], .descriptorAsPort) {
                watched.set.wakeUpEvent.signal()
                let before = RunLoop.current.run(mode: mode, before: .distantFuture)
                watched.invalidate()
                let after = RunLoop.current.run(mode: mode, before: .distantFuture)
                result.value = [before, after]
            }
            done.signal()
        }
        thread.start()
        #expect(done.wait(timeout: .now() + patience) == .success)
        // Then the loop runs with it and returns at once without
        #expect(result.value == [true, false])
    }

    @Test(arguments: [RunLoopSource.Mechanism.descriptorAsPort, .dispatchSource])
    func `many may be made and invalidated while they fire`(
        mechanism: RunLoopSource.Mechanism
    ) throws {
        let thread = LoopThread()
        defer { thread.end() }
        for _ in 0..<200 {
            let made = thread.sync { try? WatchedSet(modes: [.default], mechanism) }
            let watched = try #require(made ?? nil)
            watched.set.wakeUpEvent.signal()
            _ = thread.sync { watched.invalidate() }
        }
    }

    @Test(arguments: [RunLoopSource.Mechanism.descriptorAsPort, .dispatchSource], [true, false])
    func `no source, or one that is valid no more, is an error`(
        mechanism: RunLoopSource.Mechanism, isMade: Bool
    ) throws {
        let set = try DescriptorSet()
        #expect {
            _ = try RunLoopSource(
                descriptor: set.descriptor, modes: [Self.mode], mechanism: mechanism,
                making: { _, _ in isMade ? invalidSource() : nil }
            ) {}
        } throws: { error in
            (error as? URLError)?.code == .resourceUnavailable
        }
    }

    @Test func `a mode for which the process has no descriptors is an error`() async {
        await #expect(processExitsWith: .success) {
            let set = try DescriptorSet()
            let free = dup(0)
            close(free)
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            getrlimit(files, &limit)
            limit.rlim_cur = rlim_t(free) + 1
            setrlimit(files, &limit)
            #expect {
                _ = try RunLoopSource(
                    descriptor: set.descriptor, modes: [RunLoopSourceTests.mode]
                ) {}
            } throws: { error in
                error.localizedDescription.contains("RLIMIT_NOFILE")
                    && (error as? URLError)?.code == .resourceUnavailable
            }
        }
    }
}
