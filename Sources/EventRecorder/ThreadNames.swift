import Foundation
import Synchronization

/// The kernel's numbers of threads, and their names.
///
/// A living thread's name is the kernel's. A thread that ends leaves its last name here, for it is
/// gone when the recording stops; one of which no event was kept does not.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`. Calls out: never.
final class ThreadNames: @unchecked Sendable {
    // @unchecked because `names` is used under `lock` alone.
    static let shared = ThreadNames()

    private let lock = NSLock()

    // MARK: Guarded by lock
    private var names: [UInt32: String] = [:]

    // MARK: Numbers

    /// This thread's number, asked from the kernel; its name is known from then on.
    func register() -> UInt32 {
        let number = Self.numberFromKernel()
        remember(number)
        return number
    }

    private static func numberFromKernel() -> UInt32 {
        #if os(Linux)
            // "PROCESS/task/THREAD"; gettid() is not in Swift's Glibc module.
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/thread-self")
            return target?.split(separator: "/").last.flatMap { UInt32($0) } ?? UInt32(getpid())
        #else
            var number: UInt64 = 0
            pthread_threadid_np(nil, &number)
            return UInt32(truncatingIfNeeded: number)
        #endif
    }

    // MARK: Names

    /// Keeps the name that a thread has now.
    func remember(_ thread: UInt32) {
        guard let name = Self.nameFromKernel(thread) else { return }
        lock.withLock { names[thread] = name }
    }

    /// A thread is about to end of which no recording has anything.
    func forget(_ thread: UInt32) {
        lock.withLock { _ = names.removeValue(forKey: thread) }
    }

    /// Forgets threads that are gone.
    func forgetTheDead() {
        lock.withLock {
            names = names.filter { Self.nameFromKernel($0.key) != nil }
        }
    }

    /// The names of threads: "main" for the first one, "thread 7" for those that nobody named.
    func names(of threads: some Sequence<UInt32>) -> [UInt32: String] {
        let main = UInt32(getpid())
        let process = Self.nameFromKernel(main)
        var result: [UInt32: String] = [:]
        for thread in threads {
            // The kernel first: a thread leaves its name here before the kernel forgets it.
            let name = Self.nameFromKernel(thread) ?? lock.withLock { names[thread] }
            let isOwn = name != process && name.map(Self.isOfDispatch) == false
            result[thread] = thread == main ? "main" : isOwn ? name : "thread \(thread)"
        }
        return result
    }

    /// Dispatch names its workers by the end of a queue's label: "oot.default-qos".
    private static func isOfDispatch(_ name: String) -> Bool {
        name.hasSuffix("-qos") || name.hasSuffix("-qos.overcommit")
    }

    private static func nameFromKernel(_ thread: UInt32) -> String? {
        let file = open("/proc/self/task/\(thread)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = max(0, read(file, buffer.baseAddress, buffer.count))
        }
        guard !bytes.isEmpty else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
