import TestSupport

@testable import OperationNetworking

@Suite("The network thread", .timeLimit(.minutes(5)))
struct NetworkThreadTests {
    /// What the kernel calls the threads of this process.
    private static func names() -> [String] {
        let manager = FileManager.default
        let numbers = (try? manager.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return numbers.compactMap { number in
            manager.contents(atPath: "/proc/self/task/\(number)/comm").map {
                String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .newlines)
            }
        }
    }

    private func onThread<Value: Sendable>(
        _ thread: NetworkThread, modes: Set<RunLoop.Mode> = [.common],
        _ question: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            thread.perform(inModes: modes) { continuation.resume(returning: question()) }
        }
    }

    @Test
    func `the shared thread is called AFNetworking and is one (NT-1)`() async {
        #expect(NetworkThread.shared === NetworkThread.shared)
        #expect(NetworkThread.shared.name == "AFNetworking")
        let name = await onThread(.shared) { Thread.current.name }
        #expect(name == "AFNetworking")
        #expect(Self.names().contains("AFNetworking"))
    }

    @Test
    func `five hundred threads made on dispatch queues each have their own name`() async {
        let wrong = Log<String>()
        let done = Signal()
        let queue = DispatchQueue(label: "maker", attributes: .concurrent)
        for index in 0..<500 {
            queue.async {
                let thread = NetworkThread(name: "net \(index)")
                thread.perform(inModes: [.common]) {
                    let seen = Thread.current.name ?? "none"
                    let known = Self.kernelName()
                    if seen != "net \(index)" || known != seen { wrong.add("\(seen) \(known)") }
                    done.fire()
                }
            }
        }
        await done.wait(for: 500)
        #expect(wrong.all.isEmpty)
    }

    private static func kernelName() -> String {
        let data = FileManager.default.contents(atPath: "/proc/thread-self/comm") ?? Data()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    @Test
    func `whether it is current is true on it and false elsewhere`() async {
        let (one, two) = (NetworkThread(name: "one"), NetworkThread(name: "two"))
        #expect(!one.isCurrent)
        let answers = await onThread(one) { [one.isCurrent, two.isCurrent] }
        #expect(answers == [true, false])
    }

    @Test
    func `blocks of one mode run in the order they were handed over (NT-4)`() async {
        let thread = NetworkThread(name: "order")
        let log = Log<Int>()
        for number in 0..<2_000 {
            thread.perform(inModes: [.common]) { log.add(number) }
        }
        _ = await onThread(thread) { true }
        #expect(log.all == Array(0..<2_000))
    }

    @Test
    func `a block handed over inside a block runs after it, and after those before`() async {
        let thread = NetworkThread(name: "nested")
        let log = Log<Int>()
        let done = Signal()
        let hold = DispatchSemaphore(value: 0)
        thread.perform(inModes: [.common]) {
            hold.wait()
            thread.perform(inModes: [.common]) {
                log.add(3)
                done.fire()
            }
            log.add(1)
        }
        thread.perform(inModes: [.common]) { log.add(2) }
        hold.signal()
        await done.wait()
        #expect(log.all == [1, 2, 3])
    }

    @Test(
        arguments: [Set([RunLoop.Mode.common]), [.default], [.default, .init("own")]])
    func `common and default modes both run; each wakes a sleeping loop`(modes: Set<RunLoop.Mode>)
        async
    {
        let thread = NetworkThread(name: "modes")
        // Each answer is awaited, so the loop goes to sleep between; without a wake it stays so.
        for round in 0..<200 {
            #expect(await onThread(thread, modes: modes) { round } == round)
        }
    }

    @Test
    func `a block of a custom mode waits until somebody runs the loop in it`() async {
        let thread = NetworkThread(name: "custom")
        let log = Log<String>()
        let own = RunLoop.Mode("own")
        thread.perform(inModes: [own]) { log.add("own") }
        thread.perform(inModes: [.common]) { log.add("common") }
        _ = await onThread(thread) { true }
        #expect(log.all == ["common"])
        // From a timer: inside a block, CoreFoundation holds the other blocks back.
        await withCheckedContinuation { continuation in
            thread.perform(inModes: [.common]) {
                let starter = Timer(timeInterval: 0, repeats: false) { _ in
                    let keepAlive = Timer(timeInterval: 3_600, repeats: false) { _ in }
                    RunLoop.current.add(keepAlive, forMode: own)
                    _ = RunLoop.current.run(mode: own, before: Date(timeIntervalSinceNow: 0.1))
                    keepAlive.invalidate()
                    continuation.resume()
                }
                RunLoop.current.add(starter, forMode: .common)
            }
        }
        #expect(log.all == ["common", "own"])
    }

    @Test
    func `a thread ends when it is dropped and its work is done`() async {
        let weak = await makeAndDrop(20)
        #expect(weak == 20)
        while Self.names().contains(where: { $0.hasPrefix("dropped") }), !Task.isCancelled {
            await Task.yield()
        }
    }

    /// Makes threads, sees them, hands each a last block, and lets go of them.
    private func makeAndDrop(_ count: Int) async -> Int {
        let done = Signal()
        do {
            let threads = (0..<count).map { NetworkThread(name: "dropped \($0)") }
            for thread in threads { _ = await onThread(thread) { true } }
            #expect(Self.names().count { $0.hasPrefix("dropped") } == count)
            for thread in threads {
                thread.perform(inModes: [.common]) { done.fire() }
            }
        }
        await done.wait(for: count)
        return done.count
    }

    @Test
    func `a thread that is let go inside one of its own blocks finishes that block, then ends`()
        async
    {
        let done = Signal()
        let hold = DispatchSemaphore(value: 0)
        do {
            let thread = NetworkThread(name: "inside")
            thread.perform(inModes: [.common]) { [thread] in
                hold.wait()
                #expect(thread.isCurrent)
                done.fire()
            }
        }
        hold.signal()
        await done.wait()
        while Self.names().contains("inside"), !Task.isCancelled {
            await Task.yield()
        }
    }
}
