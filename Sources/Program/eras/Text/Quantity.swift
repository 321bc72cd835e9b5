import Foundation

/// Sizes, rates and times as text.
enum Quantity {
    /// `999 B`, `1.5 KiB`, `32.0 MiB`.
    static func size(_ bytes: Int64) -> String {
        guard bytes >= 1_024 else { return "\(bytes) B" }
        var value = Double(bytes)
        var unit = 0
        // From 1023.95 on, `%.1f` would print 1024.0 instead of 1.0 of the next unit.
        while value >= 1_023.95, unit < units.count - 1 {
            value /= 1_024
            unit += 1
        }
        return String(format: "%.1f %@", value, units[unit])
    }

    /// `1.5 KiB/s`; a dash while the rate is unknown.
    static func rate(_ bytesPerSecond: Double?) -> String {
        guard let bytesPerSecond, bytesPerSecond.isFinite else { return "-" }
        return size(Int64(max(0, bytesPerSecond))) + "/s"
    }

    /// `0:07`, `12:34`, `1:02:03`; a dash from 100 hours on. Seconds are rounded up, so that 0:00 means the end.
    static func time(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds <= 359_999 else { return "-" }
        let whole = Int(max(0, seconds).rounded(.up))
        let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
        return hours > 0
            ? String(format: "%d:%02d:%02d", hours, minutes, whole % 60)
            : String(format: "%d:%02d", minutes, whole % 60)
    }

    /// The time that so many bytes take; a dash while it is unknown.
    static func remaining(_ bytes: Int64?, at rate: Double?) -> String {
        guard let bytes, let rate, rate > 0 else { return bytes == 0 ? "0:00" : "-" }
        return time(Double(bytes) / rate)
    }

    /// `1 file`, `2 files`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
}
