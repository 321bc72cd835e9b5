import Foundation
import Testing

@testable import EventRecorder

extension RecorderTests {
    /// Names this thread; Foundation does so only when the thread's `start` has returned.
    private static func setName(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY)
        _ = name.withCString { write(file, $0, strlen($0)) }
        close(file)
    }

    private static func numberFromKernel() -> UInt32? {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        return target?.split(separator: "/").last.flatMap { UInt32($0) }
    }

    /// Records what a thread does that is gone when the recording stops.
    private func recordGoneThread(
        _ work: @escaping @Sendable () -> Void
    ) throws -> (Recording, UInt32) {
        nonisolated(unsafe) var number: UInt32?
        let recording = try Self.record {
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                number = Self.numberFromKernel()
                work()
                done.signal()
            }
            done.wait()
            let path = "/proc/self/task/\(number ?? 0)"
            var tries = 0
            while FileManager.default.fileExists(atPath: path), tries < 1_000_000 {
                sched_yield()
                tries += 1
            }
        }
        return (recording, try #require(number))
    }

    @Test
    func `the first thread is main`() {
        let main = UInt32(getpid())
        #expect(ThreadName.description("a name", of: main) == "main")
    }

    @Test(arguments: [
        ("fifteen letters", "fifteen letters"), ("sixteen letters.", "sixteen letters"),
        ("网络线程网络线程", "网络线程网"), ("a 网络线程网络线程", "a 网络线程"),
    ])
    func `a thread's name is cut to whole characters of 15 bytes at most`(
        name: String, kept: String
    ) throws {
        let (recording, number) = try recordGoneThread {
            EventRecorder.nameThread(name)
            EventRecorder.instant(.note)
        }
        #expect(recording.threads == [number: kept])
    }

    @Test
    func `a thread that is gone keeps its last name, also one from after its first event`() throws {
        let (recording, number) = try recordGoneThread {
            Self.setName("early")
            EventRecorder.instant(.note)
            Self.setName("last")
        }

        #expect(recording.events.map(\.thread) == [number])
        #expect(recording.threads == [number: "last"])
    }

    @Test
    func `a thread without a name of its own does not carry the process's`() throws {
        let process = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)
        let (recording, number) = try recordGoneThread {
            // As it is for a thread that the first one makes.
            Self.setName(process.trimmingCharacters(in: .newlines))
            EventRecorder.instant(.note)
        }

        #expect(recording.threads == [number: "thread \(number)"])
    }

    @Test
    func `a living thread has the name that it has at the stop`() throws {
        let recorded = DispatchSemaphore(value: 0)
        let stopped = DispatchSemaphore(value: 0)
        let recording = try Self.record {
            Thread.detachNewThread {
                Self.setName("early")
                EventRecorder.instant(.note)
                Self.setName("later")
                recorded.signal()
                stopped.wait()
            }
            recorded.wait()
        }
        stopped.signal()

        #expect(Array(recording.threads.values) == ["later"])
    }
}
