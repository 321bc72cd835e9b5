import Foundation

/// Packets of limited size, with a pause after each. The original's could be larger, and slept on
/// the reading thread (MP-15, wound 67).
struct MultipartPacing: Sendable {
    /// In bytes.
    let packetSize: Int
    /// In nanoseconds.
    let pause: UInt64

    static let unlimited = MultipartPacing(packetSize: .max, delay: 0)

    /// A longer delay would only hide a wrong unit.
    private static let longestDelay: TimeInterval = 86_400

    /// - Parameters:
    ///   - packetSize: less than 1 is no limit.
    ///   - delay: in seconds; a negative, infinite or undefined delay is none, and more than a day
    ///     is a day.
    init(packetSize: Int, delay: TimeInterval) {
        self.packetSize = packetSize < 1 ? .max : packetSize
        pause = delay > 0 && delay.isFinite ? UInt64(min(delay, Self.longestDelay) * 1e9) : 0
    }
}
