import Foundation
import Lessons

/// Exercise 2, solved: the thread that calls `wait` waits for all lines.
struct Exercise: WaitingExercise {
    init() {}

    func wait(for lines: Lines, _ report: @escaping @Sendable (_ line: Int, _ text: String) -> Void)
    {
        var waiting = lines.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while waiting.contains(where: { $0.fd >= 0 }) {
            poll(&waiting, nfds_t(waiting.count), -1)
            for line in waiting.indices where waiting[line].revents != 0 {
                report(line, read(waiting[line].fd))
                waiting[line].fd = -1
            }
        }
    }

    /// A line's message, which is there.
    private func read(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }
}
