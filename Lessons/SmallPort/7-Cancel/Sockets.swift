import CLinux
import CoreFoundation
import Foundation

/// The sockets of one thread, and the source by which its run loop waits for all of them.
///
/// The run loop sees one descriptor, the epoll's, which is ready when one of the sockets is.
final class Sockets {
    private let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let loop = CFRunLoopGetCurrent()
    private var source: CFRunLoopSource?
    private var connections: [Int32: Connection] = [:]

    /// Made on the thread of the run loop.
    init() {
        var context = CFRunLoopSourceContext1()
        context.version = 1
        context.info = Unmanaged.passUnretained(self).toOpaque()
        // On Linux the port of a source is a descriptor that becomes readable.
        context.getPort = { info in
            info.map { Unmanaged<Sockets>.fromOpaque($0).takeUnretainedValue().epoll } ?? -1
        }
        context.perform = { info in
            info.map { Unmanaged<Sockets>.fromOpaque($0).takeUnretainedValue().look() }
        }
        source = withUnsafeMutablePointer(to: &context) {
            $0.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) {
                CFRunLoopSourceCreate(kCFAllocatorDefault, 0, $0)
            }
        }
    }

    deinit {
        CFRunLoopSourceInvalidate(source)
        close(epoll)
    }

    /// Waits for the connection's socket too. Without any there is nothing to wait for, and no source.
    func add(_ connection: Connection) {
        guard connection.descriptor >= 0 else {
            // There is none left; the first `send` says so.
            _ = connection.advance()
            return
        }
        if connections.isEmpty { CFRunLoopAddSource(loop, source, kCFRunLoopCommonModes) }
        connections[connection.descriptor] = connection
        control(EPOLL_CTL_ADD, connection)
    }

    func remove(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.descriptor) != nil else { return }
        control(EPOLL_CTL_DEL, connection)
        if connections.isEmpty { CFRunLoopRemoveSource(loop, source, kCFRunLoopCommonModes) }
    }

    /// The run loop calls this once for each new readiness, so it looks until nothing is ready.
    private func look() {
        var event = epoll_event()
        while epoll_wait(epoll, &event, 1, 0) == 1, let connection = connections[event.data.fd] {
            if connection.advance() {
                remove(connection)
            } else {
                control(EPOLL_CTL_MOD, connection)
            }
        }
    }

    private func control(_ action: Int32, _ connection: Connection) {
        let events = connection.wantsToSend ? EPOLLOUT.rawValue : EPOLLIN.rawValue
        var event = epoll_event(events: events, data: epoll_data_t(fd: connection.descriptor))
        epoll_ctl(epoll, action, connection.descriptor, &event)
    }
}
