import CLinux
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

    /// Reports when tasks have waited for memory for so long within a time window.
    ///
    /// - Parameters:
    ///   - stalled: microseconds of waiting within a window.
    ///   - window: microseconds; without privileges the kernel requires a multiple of 2,000,000.
    ///   - path: a control group's own `memory.pressure` in place of the system's.
    public static func stalled(
        microseconds stalled: Int = 150_000, in window: Int = 2_000_000,
        path: String = "/proc/pressure/memory"
    ) -> KernelMemoryPressure {
        KernelMemoryPressure(path: path, kind: .stall("some \(stalled) \(window)"))
    }

    /// Reports when a control group reached its `memory.high` or its maximum, or killed a process.
    ///
    /// - Parameter path: the group's `memory.events`.
    public static func events(path: String = "/sys/fs/cgroup/memory.events") -> KernelMemoryPressure
    {
        KernelMemoryPressure(path: path, kind: .events)
    }

    /// Opens the file and waits for it on a thread of its own.
    ///
    /// - Throws: a `POSIXError` where the kernel has no such file, refuses the trigger, or gives no counts.
    public func watch(
        _ onPressure: @escaping @Sendable () -> Void
    ) throws -> any MemoryPressureWatch {
        switch kind {
        case .stall(let trigger):
            let file = try open(O_RDWR)
            // The kernel requires the terminating zero too.
            let written = trigger.withCString { write(file, $0, trigger.utf8.count + 1) }
            guard written > 0 else {
                defer { close(file) }
                throw Self.lastError
            }
            return try KernelWatch(file, report: KernelReport.stall, onPressure)
        case .events:
            let file = try open(O_RDONLY)
            guard let first = Self.counts(in: file) else {
                defer { close(file) }
                throw Self.lastError
            }
            let counts = Locked(first)
            return try KernelWatch(
                file,
                report: { events in
                    let now = Self.counts(in: file)
                    return counts.withLock { before in
                        defer { before = now ?? before }
                        return KernelReport.counts(events, before: before, now: now)
                    }
                }, onPressure)
        }
    }

    private func open(_ mode: Int32) throws -> Int32 {
        let file = Glibc.open(path, mode | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw Self.lastError }
        return file
    }

    private static var lastError: POSIXError {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }

    /// How often memory was short so far, for all reasons together; nil where the file cannot be read.
    private static func counts(in file: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count >= 0 else { return nil }
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").reduce(0) {
            let words = $1.split(separator: " ")
            guard words.count == 2, ["high", "max", "oom", "oom_kill"].contains(words[0]) else {
                return $0
            }
            return $0 + (Int(words[1]) ?? 0)
        }
    }
}

/// What events of a kernel file mean. A removed control group has `POLLPRI` and `POLLERR` at once and for ever.
enum KernelReport {
    case pressure
    case nothing
    /// Nothing will be reported any more.
    case ended

    /// Of pressure stall information, which has `POLLERR` only when its group was removed.
    static func stall(_ events: Int16) -> KernelReport {
        events & Int16(POLLPRI | POLLERR) == Int16(POLLPRI) ? .pressure : .ended
    }

    /// Of `memory.events`, where each event has `POLLERR`; that of a removed group cannot be read.
    ///
    /// - Parameter now: how often memory was short; nil where the file could not be read.
    static func counts(_ events: Int16, before: Int, now: Int?) -> KernelReport {
        guard events & Int16(POLLPRI) != 0, let now else { return .ended }
        return now > before ? .pressure : .nothing
    }
}

/// Waits on a thread of its own for events of a kernel file.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; what is shared does not change. Calls out on: its own thread,
/// without a lock.
final class KernelWatch: MemoryPressureWatch {
    /// Descriptors that are closed when their last user is released.
    private final class Descriptors: Sendable {
        let file: Int32
        let stopped = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

        init(_ file: Int32) {
            self.file = file
        }

        deinit {
            close(file)
            if stopped >= 0 { close(stopped) }
        }
    }

    private let descriptors: Descriptors

    /// Takes ownership of the file.
    ///
    /// - Parameter report: what the file's events mean.
    init(
        _ file: Int32, report: @escaping @Sendable (_ events: Int16) -> KernelReport,
        _ onPressure: @escaping @Sendable () -> Void
    ) throws {
        let descriptors = Descriptors(file)
        self.descriptors = descriptors
        guard descriptors.stopped >= 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE)
        }
        try SystemThread.start {
            Thread.current.name = "MemoryPressure"
            Self.wait(descriptors, report, onPressure)
        }
    }

    deinit {
        stop()
    }

    func stop() {
        eventfd_write(descriptors.stopped, 1)
    }

    private static func wait(
        _ descriptors: Descriptors, _ report: (Int16) -> KernelReport, _ onPressure: () -> Void
    ) {
        while true {
            var files = [
                pollfd(fd: descriptors.file, events: Int16(POLLPRI), revents: 0),
                pollfd(fd: descriptors.stopped, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&files, 2, -1) < 0 {
                guard errno == EINTR else { return }
                continue
            }
            if files[1].revents != 0 { return }
            switch report(files[0].revents) {
            case .pressure: onPressure()
            case .nothing: break
            case .ended: return
            }
        }
    }
}

/// Reports memory pressure.
public protocol MemoryPressureSource: Sendable {
    /// Calls a block whenever memory is short, on a thread of the source's own, until it is
    /// stopped.
    ///
    /// - Throws: where the source cannot be watched.
    func watch(_ onPressure: @escaping @Sendable () -> Void) throws -> any MemoryPressureWatch
}

/// A subscription to memory pressure, which lasts until `stop()`.
public protocol MemoryPressureWatch: Sendable {
    /// Ends the calls; a call that is running may still finish.
    func stop()
}
