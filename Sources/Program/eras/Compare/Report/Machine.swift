import Foundation

/// The machine and the time of a measurement.
struct Machine: Sendable {
    var processor: String
    var cores: Int
    var system: String
    var date: Date

    /// This machine, now.
    static var current: Machine {
        Machine(
            processor: processorName, cores: ProcessInfo.processInfo.activeProcessorCount,
            system: ProcessInfo.processInfo.operatingSystemVersionString, date: Date())
    }

    /// The machine in one line, without the date.
    var text: String {
        "\(processor), \(Quantity.count(cores, "core")), \(system)"
    }

    /// The date, such as 2026-11-21.
    var day: String {
        String(date.formatted(.iso8601).prefix(10))
    }

    private static var processorName: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = line?.split(separator: ":", maxSplits: 1).last ?? ""
        return name.isEmpty ? "unknown processor" : name.trimmingCharacters(in: .whitespaces)
    }
}
