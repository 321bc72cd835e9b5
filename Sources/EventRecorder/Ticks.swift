import CEvents
import Foundation

/// The time of an event as it is taken: of the processor's counter where the system's clock itself
/// goes by that, else of the clock.
///
/// Two ticks of one thread differ, so they tell the order.
enum Ticks {
    static var now: UInt64 {
        @inline(__always) get { cevents_ticks() }
    }

    /// Finds out, once, what they are of; before the first recording begins, for it stays so.
    static func choose() { _ = choice }

    private static let choice: Void = cevents_set_counts(isCounter)

    /// A counter that the kernel does not trust may differ from processor to processor.
    private static var isCounter: Bool {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        guard let bytes = FileManager.default.contents(atPath: path) else { return false }
        let source = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return source == "tsc" && cevents_counter() != 0
    }
}

/// How ticks and nanoseconds go together between two moments.
struct TickScale {
    /// One moment by all clocks.
    struct Moment {
        private(set) var ticks: UInt64 = 0
        private(set) var nanoseconds: UInt64 = 0
        let date = Date()

        /// Of a few readings the one that took the least time: a thread may have to wait between two
        /// clocks, and then all events would stand at wrong times.
        init() {
            var least = UInt64.max
            for _ in 0..<8 {
                let before = Ticks.now
                let now = MonotonicClock.now
                let taken = Ticks.now &- before
                guard taken < least else { continue }
                (least, ticks, nanoseconds) = (taken, before &+ taken / 2, now)
            }
        }
    }

    private let start: Moment
    private let nanosecondsATick: Double

    init(from start: Moment, to end: Moment) {
        self.start = start
        nanosecondsATick =
            end.ticks > start.ticks
            ? Double(end.nanoseconds - start.nanoseconds) / Double(end.ticks - start.ticks) : 1
    }

    func nanoseconds(_ ticks: UInt64) -> UInt64 {
        let distance = Double(Int64(bitPattern: ticks &- start.ticks)) * nanosecondsATick
        return start.nanoseconds &+ UInt64(bitPattern: Int64(distance.rounded(.down)))
    }

    func milliseconds(from begin: UInt64, to end: UInt64) -> Double {
        Double(nanoseconds(end) &- nanoseconds(begin)) / 1e6
    }

    func date(_ ticks: UInt64) -> Date {
        let distance = Int64(bitPattern: nanoseconds(ticks) &- start.nanoseconds)
        return start.date + Double(distance) / 1e9
    }

    func ticks(_ nanoseconds: UInt64) -> UInt64 {
        let distance =
            Double(Int64(bitPattern: nanoseconds &- start.nanoseconds)) / nanosecondsATick
        return start.ticks &+ UInt64(bitPattern: Int64(distance))
    }
}
