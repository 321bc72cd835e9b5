import CMeasure
import Foundation

/// Where it was measured, and with what.
struct Machine: Encodable {
    let processor = Self.line(of: "/proc/cpuinfo", after: "model name") ?? "unknown"
    let cores = ProcessInfo.processInfo.processorCount
    let memoryGiB = Int((Double(ProcessInfo.processInfo.physicalMemory) / 1_073_741_824).rounded())
    let system = Self.line(of: "/etc/os-release", after: "PRETTY_NAME") ?? "unknown"
    let kernel = Self.firstLine(of: ["uname", "-r"])
    let swift = Self.firstLine(of: ["swift", "--version"])
    let nginx = Self.firstLine(of: ["nginx", "-v"])
    let curl = Self.firstLine(of: ["curl", "--version"])
    /// Programs that wanted to run in the last minute, this session's included.
    let load = Self.load

    /// "6.3.1", by which thresholds are kept.
    static var swiftVersion: String {
        let words = firstLine(of: ["swift", "--version"]).split(separator: " ")
        guard let index = words.firstIndex(of: "version"), index + 1 < words.count else {
            return "unknown"
        }
        return String(words[index + 1])
    }

    private static var load: Double {
        var loads = [0.0, 0, 0]
        return getloadavg(&loads, 3) > 0 ? loads[0] : 0
    }

    private static func line(of path: String, after key: String) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
        return line.map {
            $0.dropFirst(key.count).trimmingCharacters(in: CharacterSet(charactersIn: " \t:=\""))
        }
    }

    /// Also where a program talks on its other output, as nginx does.
    private static func firstLine(of words: [String]) -> String {
        let pipe = Pipe()
        guard let child = try? Child(words, errors: pipe.fileHandleForWriting) else {
            return "not found"
        }
        let said = (try? child.finish(within: 20))?.output
        try? pipe.fileHandleForWriting.close()
        let complained = try? pipe.fileHandleForReading.readToEnd()
        let text = String(decoding: (said ?? Data()) + (complained ?? Data()), as: UTF8.self)
        return text.split(separator: "\n").first.map(String.init) ?? "not found"
    }
}
