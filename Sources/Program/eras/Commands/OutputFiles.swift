import Foundation

/// The files that a command writes at its end, which are checked at its start.
struct OutputFiles {
    /// The options' names and paths, for the options that were given.
    private let outputs: [(option: String, path: String)]

    init(_ outputs: KeyValuePairs<String, String?>) {
        self.outputs = outputs.compactMap { option, path in path.map { (option, $0) } }
    }

    /// Whether one of them is standard output.
    var useStandardOutput: Bool { outputs.contains { $0.path == NewFile.standardOutput } }

    /// - Parameter places: other paths that the command writes, each with a description.
    /// - Throws: `UsageError` where two paths are the same, `DiskError` where one cannot be written.
    func check(topic: HelpTopic, places: [String: String] = [:]) throws {
        let isFile = outputs.contains { $0.path != NewFile.standardOutput }
        // Standard output is none of them, and a key takes several system calls.
        let places = isFile ? places : [:]
        var seen: [String: String] = [:]
        let taken = Dictionary(
            places.map { (Self.key($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        for (option, path) in outputs {
            let key = Self.key(path)
            if let other = seen.updateValue(option, forKey: key) {
                throw UsageError(
                    sentence: "\(other) and \(option) name the same file.", topic: topic)
            }
            if let use = taken[key] {
                throw UsageError(
                    sentence: "\(option) names \(path), which is \(use).", topic: topic)
            }
        }
        for (_, path) in outputs { try NewFile(path).check() }
    }

    /// The path without symbolic links; the file need not exist.
    private static func key(_ path: String) -> String {
        if path == NewFile.standardOutput { return path }
        let url = URL(fileURLWithPath: path)
        if let whole = NewFile.resolved(url.path) { return whole }
        let folder = url.deletingLastPathComponent().path
        return (NewFile.resolved(folder) ?? folder) + "/" + url.lastPathComponent
    }
}
