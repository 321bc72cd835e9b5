import Dispatch
import Foundation
import Glibc
import Locking

/// Linux's own reports of memory pressure.
public struct KernelMemoryPressure: MemoryPressureSource {
    private enum Kind: Sendable {
        /// A file of pressure stall information, and the trigger that is written to it.
        case stall(String)
        /// A control group's `memory.events`.
        case events
    }

    private let path: String
    private let kind: Kind

    private init(_ path: String, _ kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// Reports when tasks wait for memory for a part of each time window.
    ///
    /// - Parameters:
    ///   - stalled: microseconds in each window.
    ///   - window: microseconds; without privileges the kernel requires a multiple of 2,000,000.
    ///   - path: a control group's own `memory.pressure` in place of the system's.
    public static func stalled(
        microseconds stalled: Int = 150_000, in window: Int = 2_000_000,
        path: String = "/proc/pressure/memory"
    ) -> KernelMemoryPressure {
        KernelMemoryPressure(path, .stall("some \(stalled) \(window)"))
    }

    /// Reports when a control group reached its `memory.high` or its maximum, or killed a process.
    ///
    /// - Parameter path: the group's `memory.events`.
    public static func events(path: String = "/sys/fs/cgroup/memory.events") -> KernelMemoryPressure
    {
        KernelMemoryPressure(path, .events)
    }

    /// Opens the file and waits for it on a thread of its own.
    ///
    /// - Throws: a `POSIXError` where the kernel has no such file, or refuses the trigger.
    public func watch(
        _ onPressure: @escaping @Sendable () -> Void
    ) throws -> any MemoryPressureWatch {
        switch kind {
        case .stall(let trigger):
            let file = try open(O_RDWR)
            // The kernel requires the terminating zero too.
            let written = trigger.withCString { write(file, $0, trigger.utf8.count + 1) }
            guard written > 0 else { throw closing(file) }
            return try KernelWatch(file, isPressure: { true }, onPressure)
        case .events:
            let file = try open(O_RDONLY)
            let counts = Locked(Self.counts(in: file))
            return try KernelWatch(
                file,
                isPressure: {
                    let now = Self.counts(in: file)
                    return counts.withLock { before in
                        defer { before = now }
                        return now > before
                    }
                }, onPressure)
        }
    }

    private func open(_ mode: Int32) throws -> Int32 {
        let file = Glibc.open(path, mode | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return file
    }

    private func closing(_ file: Int32) -> POSIXError {
        let code = errno
        close(file)
        return POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    }

    /// How often memory was short so far, for all reasons together.
    private static func counts(in file: Int32) -> Int {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return 0 }
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").reduce(0) {
            let words = $1.split(separator: " ")
            guard words.count == 2, ["high", "max", "oom", "oom_kill"].contains(words[0]) else {
                return $0
            }
            return $0 + (Int(words[1]) ?? 0)
        }
    }
}
