import CLinux
import Foundation

/// The kernel's event that makes a transport's descriptors readable from any thread.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; each call is one system call on a constant.
final class WakeUpEvent: Sendable {
    /// -1 where the process has no descriptors left.
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func signal() {
        eventfd_write(descriptor, 1)
    }

    /// To be called when the event was seen.
    func clear() {
        var value: eventfd_t = 0
        eventfd_read(descriptor, &value)
    }
}
