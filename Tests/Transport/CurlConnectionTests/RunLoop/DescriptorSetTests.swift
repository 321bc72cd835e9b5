import CLinux
import Foundation
import FoundationNetworking
import Testing

@testable import CurlConnection

/// Makes a set while the process may open two more descriptors only, and returns its error.
private func codeOfSetWithRoomForTwo() -> URLError.Code? {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var usual = rlimit()
    getrlimit(files, &usual)
    defer { setrlimit(files, &usual) }
    let free = dup(0)
    close(free)
    var limit = rlimit(rlim_cur: rlim_t(free) + 2, rlim_max: usual.rlim_max)
    setrlimit(files, &limit)
    do throws(URLError) {
        _ = try DescriptorSet()
        return nil
    } catch {
        return error.code
    }
}

@Suite("The set of descriptors", .timeLimit(.minutes(5)))
struct DescriptorSetTests {
    /// Two ends of a local stream.
    private final class Ends {
        private(set) var near: Int32 = -1
        private(set) var far: Int32 = -1

        init() {
            var both: [Int32] = [-1, -1]
            // SOCK_STREAM, which has another type in each C module that shows it.
            socketpair(AF_UNIX, 1, 0, &both)
            near = both[0]
            far = both[1]
        }

        deinit {
            close(near)
            close(far)
        }

        func send() { write(far, "x", 1) }
        func receive() {
            var byte: UInt8 = 0
            read(near, &byte, 1)
        }
    }

    private struct Seen: Equatable {
        var socket: Int32
        var readable = false
        var writable = false
        var failed = false
    }

    private func look(_ set: DescriptorSet) -> [Seen] {
        var seen: [Seen] = []
        _ = set.look { seen.append(Seen(socket: $0, readable: $1, writable: $2, failed: $3)) }
        return seen
    }

    /// Whether the set's own descriptor becomes readable within a while, in milliseconds.
    private func isReadable(_ set: DescriptorSet, within wait: Int32 = 0) -> Bool {
        var entry = pollfd(fd: set.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, wait) == 1
    }

    @Test func `a watched socket is reported for what is watched of it`() throws {
        let set = try DescriptorSet()
        let ends = Ends()
        set.watch(ends.near, reading: true, writing: false)
        #expect(look(set).isEmpty)
        ends.send()
        #expect(isReadable(set))
        #expect(look(set) == [Seen(socket: ends.near, readable: true)])
        set.watch(ends.near, reading: true, writing: true)
        #expect(look(set) == [Seen(socket: ends.near, readable: true, writable: true)])
        set.watch(ends.near, reading: false, writing: true)
        #expect(look(set) == [Seen(socket: ends.near, writable: true)])
        set.watch(ends.near, reading: false, writing: false)
        #expect(look(set).isEmpty)
        #expect(!isReadable(set))
    }

    @Test func `readiness stays until the socket was read`() throws {
        let set = try DescriptorSet()
        let ends = Ends()
        set.watch(ends.near, reading: true, writing: false)
        ends.send()
        #expect(look(set).count == 1)
        #expect(look(set).count == 1)
        ends.receive()
        #expect(look(set).isEmpty)
    }

    @Test func `a peer that left is reported as readable`() throws {
        let set = try DescriptorSet()
        let ends = Ends()
        set.watch(ends.near, reading: true, writing: false)
        shutdown(ends.far, Int32(SHUT_RDWR))
        #expect(look(set).first?.readable == true)
    }

    @Test func `changes that cancel out leave the socket watched`() throws {
        let set = try DescriptorSet()
        let ends = Ends()
        set.adopt(ends.near)
        set.watch(ends.near, reading: true, writing: false)
        #expect(look(set).isEmpty)
        for _ in 0..<3 {
            set.watch(ends.near, reading: false, writing: false)
            set.watch(ends.near, reading: true, writing: false)
        }
        ends.send()
        #expect(look(set) == [Seen(socket: ends.near, readable: true)])
        // And those that cancel out to nothing leave it unwatched
        let other = Ends()
        set.adopt(other.near)
        set.watch(other.near, reading: true, writing: false)
        set.watch(other.near, reading: false, writing: false)
        other.send()
        #expect(look(set).map(\.socket) == [ends.near])
    }

    @Test func `a kept connection wakes once when something comes unasked`() throws {
        let set = try DescriptorSet()
        let ends = Ends()
        set.adopt(ends.near)
        set.watch(ends.near, reading: true, writing: false)
        #expect(look(set).isEmpty)
        set.watch(ends.near, reading: false, writing: false)
        #expect(look(set).isEmpty)
        ends.send()
        #expect(isReadable(set))
        #expect(look(set).isEmpty)
        #expect(!isReadable(set))
        // And is heard of again once somebody waits for it
        set.watch(ends.near, reading: true, writing: false)
        #expect(look(set) == [Seen(socket: ends.near, readable: true)])
    }

    @Test func `a forgotten socket that somebody else has open is not heard of`() throws {
        let set = try DescriptorSet()
        let ends = Ends()
        let other = dup(ends.near)
        defer { close(other) }
        set.adopt(ends.near)
        set.watch(ends.near, reading: true, writing: false)
        #expect(look(set).isEmpty)
        set.forget(ends.near)
        ends.send()
        #expect(!isReadable(set))
    }

    @Test func `a forgotten number may be watched anew`() throws {
        let set = try DescriptorSet()
        let first = Ends()
        set.adopt(first.near)
        set.watch(first.near, reading: true, writing: false)
        #expect(look(set).isEmpty)
        // When its number goes to another file, as after close
        let second = Ends()
        set.forget(first.near)
        dup2(second.near, first.near)
        set.adopt(first.near)
        set.watch(first.near, reading: true, writing: false)
        second.send()
        #expect(look(set) == [Seen(socket: first.near, readable: true)])
    }

    @Test func `a number that was let go of and closed unasked may be watched anew`() throws {
        let set = try DescriptorSet()
        // Given a descriptor libcurl does not announce, such as its resolver's
        let first = Ends()
        set.watch(first.near, reading: true, writing: false)
        #expect(look(set).isEmpty)
        set.watch(first.near, reading: false, writing: false)
        // When its number goes to a connection before the next look
        let second = Ends()
        dup2(second.near, first.near)
        set.adopt(first.near)
        set.watch(first.near, reading: true, writing: false)
        second.send()
        #expect(look(set) == [Seen(socket: first.near, readable: true)])
    }

    @Test func `a wake-up makes the set readable until the next look, from any thread`() throws {
        let set = try DescriptorSet()
        #expect(!isReadable(set))
        let crossThreadJobs = CrossThreadJobs(set.wakeUpEvent)
        Thread { crossThreadJobs.perform { _ in } }.start()
        #expect(isReadable(set, within: 10_000))
        #expect(set.look { _, _, _, _ in } == 1)
        #expect(!isReadable(set))
        set.wakeUpEvent.signal()
        set.wakeUpEvent.signal()
        #expect(set.look { _, _, _, _ in } == 1)
        #expect(!isReadable(set))
    }

    @Test func `a deadline makes the set readable when it has come, once`() throws {
        let set = try DescriptorSet()
        let deadline = MonotonicClock.now + 20_000_000
        set.setDeadline(deadline)
        #expect(isReadable(set, within: 10_000))
        #expect(MonotonicClock.now >= deadline)
        #expect(set.look { _, _, _, _ in } == 1)
        #expect(!isReadable(set))
        // And the same deadline can be set again
        set.setDeadline(deadline)
        #expect(isReadable(set, within: 10_000))
    }

    @Test func `a deadline in the past has come, whatever it is`() throws {
        for deadline in [0, 1, MonotonicClock.now - 1] as [UInt64] {
            let set = try DescriptorSet()
            set.setDeadline(deadline)
            #expect(isReadable(set, within: 10_000), "\(deadline)")
        }
    }

    @Test func `a deadline can be put off and taken back`() throws {
        let set = try DescriptorSet()
        let later = try DescriptorSet()
        let now = MonotonicClock.now
        set.setDeadline(now + 20_000_000)
        set.setDeadline(nil)
        later.setDeadline(now + 20_000_000)
        later.setDeadline(now + 40_000_000)
        #expect(isReadable(later, within: 10_000))
        #expect(MonotonicClock.now >= now + 40_000_000)
        #expect(!isReadable(set))
    }

    @Test func `more sockets than one look holds are all seen`() throws {
        let set = try DescriptorSet()
        let all = (0..<300).map { _ in Ends() }
        for ends in all {
            set.watch(ends.near, reading: true, writing: false)
            ends.send()
        }
        var seen: Set<Int32> = []
        for _ in 0..<3 {
            _ = set.look { socket, _, _, _ in
                seen.insert(socket)
                set.watch(socket, reading: false, writing: false)
            }
        }
        #expect(seen == Set(all.map(\.near)))
    }

    @Test func `its descriptors are given back`() async {
        await #expect(processExitsWith: .success) {
            let before = openDescriptors()
            for _ in 0..<50 { _ = try? DescriptorSet() }
            #expect(descriptorsAreBack(to: before))
        }
    }

    @Test func `no descriptor left is an error, and none is lost`() async {
        await #expect(processExitsWith: .success) {
            let before = openDescriptors()
            // Tried again, because another thread of the process may close one of its own meanwhile.
            let codes = (0..<20).map { _ in
                codeOfSetWithRoomForTwo() ?? codeOfSetWithRoomForTwo()
            }
            #expect(codes.allSatisfy { $0 == .resourceUnavailable })
            #expect(descriptorsAreBack(to: before))
        }
    }

    /// The kernel watches no regular file.
    @Test func `a descriptor that the kernel does not watch is told, once`() throws {
        let set = try DescriptorSet()
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        set.watch(file, reading: true, writing: false)
        #expect(look(set).isEmpty)
        #expect(set.takeRefusal()?.code == .resourceUnavailable)
        #expect(set.takeRefusal() == nil)
    }

    @Test func `a number that changed hands unheard is watched anew`() throws {
        let set = try DescriptorSet()
        let (first, second) = (Ends(), Ends())
        set.watch(first.near, reading: true, writing: false)
        #expect(look(set).isEmpty)
        dup2(second.near, first.near)
        set.watch(first.near, reading: true, writing: true)
        second.send()
        #expect(look(set).first?.readable == true)
        #expect(set.takeRefusal() == nil)
    }

    @Test func `an exchange whose socket is not watched ends with an error`() throws {
        try withFixture { fixture in
            let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
            defer { close(file) }
            let recorder = Recorder()
            fixture.thread.start(fixture.request("/hang-body"), recorder)
            #expect(recorder.wait { $0.data.count == 100 })
            let watched = fixture.thread.sync {
                let key = TransportKey(modes: [.default])
                guard let transport = try? TransportTable.transport(for: key) else { return false }
                transport.descriptors.watch(file, reading: true, writing: false)
                transport.later {}
                return true
            }
            #expect(watched == true)
            let heard = recorder.atEnd()
            #expect(heard.code == .resourceUnavailable)
            #expect(heard.ends == 1)
            #expect(heard.error?.localizedDescription.contains("epoll_ctl") == true)
            #expect(heard.error?.failingURL?.path().hasSuffix("/hang-body") == true)
            #expect(fixture.load("/ok").text == "hello world")
        }
    }
}
