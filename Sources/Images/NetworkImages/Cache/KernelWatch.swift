import CLinux
import Foundation
import Glibc
import Locking

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
    /// - Parameter isPressure: whether the file's contents report memory pressure.
    init(
        _ file: Int32, isPressure: @escaping @Sendable () -> Bool,
        _ onPressure: @escaping @Sendable () -> Void
    ) throws {
        let descriptors = Descriptors(file)
        self.descriptors = descriptors
        guard descriptors.stopped >= 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE)
        }
        try SystemThread.start {
            Thread.current.name = "MemoryPressure"
            Self.wait(descriptors, isPressure, onPressure)
        }
    }

    deinit {
        stop()
    }

    func stop() {
        eventfd_write(descriptors.stopped, 1)
    }

    private static func wait(
        _ descriptors: Descriptors, _ isPressure: () -> Bool, _ onPressure: () -> Void
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
            // A control group that was removed reports only an error, for ever.
            let isOver = files[1].revents != 0 || files[0].revents & Int16(POLLPRI) == 0
            if isOver { return }
            if isPressure() { onPressure() }
        }
    }
}
