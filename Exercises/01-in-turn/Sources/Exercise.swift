import Foundation
import Lessons

/// Exercise 1. Lines over which one message each will come, in any order.
///
/// It reads them in turn, so a message that comes early on a later line is not read. Read each one when
/// it comes.
struct Exercise: WaitingExercise {
    init() {}

    func wait(for lines: Lines, _ report: @escaping @Sendable (_ line: Int, _ text: String) -> Void)
    {
        for (line, descriptor) in lines.descriptors.enumerated() {
            report(line, read(descriptor))
        }
    }

    /// A line's message; waits for it.
    private func read(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }
}
