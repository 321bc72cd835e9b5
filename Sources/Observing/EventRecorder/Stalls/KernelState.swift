import Foundation

enum KernelState {
    /// Sleeps until something wakes it, or waits for a device.
    case asleep
    case running
    case gone

    init(of thread: UInt32) {
        // The name, in parentheses, may contain anything; the state follows the last parenthesis.
        guard let bytes = FileManager.default.contents(atPath: "/proc/self/task/\(thread)/stat"),
            let end = bytes.lastIndex(of: UInt8(ascii: ")")), bytes.count > end + 2
        else {
            self = .gone
            return
        }
        self = [UInt8(ascii: "S"), UInt8(ascii: "D")].contains(bytes[end + 2]) ? .asleep : .running
    }
}
