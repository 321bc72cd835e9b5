import Foundation
import Lessons

/// Exercise 2. The same lines, and each has a thread that waits for it.
///
/// It works. Now let one thread do it; `wait` may still block the thread that calls it.
struct Exercise: WaitingExercise {
    init() {}

    func wait(for lines: Lines, _ report: @escaping @Sendable (_ line: Int, _ text: String) -> Void)
    {
        let group = DispatchGroup()
        for (line, descriptor) in lines.descriptors.enumerated() {
            group.enter()
            Thread.detachNewThread {
                report(line, read(descriptor))
                group.leave()
            }
        }
        group.wait()
    }

    /// A line's message; waits for it.
    private func read(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }
}
