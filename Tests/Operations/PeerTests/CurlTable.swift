import Foundation

/// What the curl command makes of each path of the fault server, with the limits of the sweep.
enum CurlTable {
    static let version = "7.88.1"

    struct Verdict: Codable, Equatable, CustomStringConvertible {
        /// curl's exit code: 0 is success, whatever the status.
        var exit: Int32
        /// The last answer's status; it does not count where there was an error.
        var status: Int

        var description: String { exit == 0 ? "\(status)" : "exit \(exit)" }
    }

    private static let file = FaultPeer.folder.appendingPathComponent("curl-\(version).json")

    static func stored() throws -> [String: Verdict] {
        try JSONDecoder().decode([String: Verdict].self, from: Data(contentsOf: file))
    }

    static func store(_ table: [String: Verdict]) throws {
        let lines = table.sorted { $0.key < $1.key }.map {
            "  \"\($0.key)\": {\"exit\": \($0.value.exit), \"status\": \($0.value.status)}"
        }
        try Data("{\n\(lines.joined(separator: ",\n"))\n}\n".utf8).write(to: file)
    }

    /// The command, if it is here and of the table's version.
    static let command: URL? = {
        guard let url = FaultPeer.program("curl") else { return nil }
        let process = Process()
        let output = Pipe()
        process.executableURL = url
        process.arguments = ["--version"]
        process.standardOutput = output
        guard (try? process.run()) != nil else { return nil }
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.hasPrefix("curl \(version) ") ? url : nil
    }()

    /// Asks the command.
    static func verdict(on url: URL, by command: URL) async throws -> Verdict {
        let process = Process()
        let output = Pipe()
        process.executableURL = command
        process.arguments = [
            "-q", "-sS", "--max-time", "5", "--compressed", "--path-as-is", "-L",
            "--max-redirs", "20", "--proto", "=http,https", "--noproxy", "*",
            "-o", "/dev/null", "-w", "%{http_code}", url.absoluteString,
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let exit = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return Verdict(exit: exit, status: exit == 0 ? Int(text) ?? 0 : 0)
    }
}
