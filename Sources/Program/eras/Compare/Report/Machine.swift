import Foundation

/// The machine on which a measurement was made, and its date.
struct Machine: Sendable {
    var processor: String
    /// The number of active logical processors. `text` calls them cores, although a processor with two threads per core
    /// has twice as many as it has cores.
    var cores: Int
    var system: String
    var date: Date

    static var current: Machine {
        Machine(
            processor: processorName, cores: ProcessInfo.processInfo.activeProcessorCount,
            system: ProcessInfo.processInfo.operatingSystemVersionString, date: Date())
    }

    /// The machine in one line, without the date.
    var text: String {
        "\(processor), \(Quantity.count(cores, "core")), \(system)"
    }

    /// The date in UTC, such as 2026-11-21.
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
