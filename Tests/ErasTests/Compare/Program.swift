import Foundation

/// The built program, run as a person would.
struct Program {
    struct Ending {
        var code: Int32
        var output: String
        var errors: String
    }

    /// - Parameter during: called with the process as soon as it runs.
    static func run(
        _ arguments: [String], in folder: URL? = nil,
        during: (@Sendable (Process) async -> Void)? = nil
    ) async throws -> Ending {
        let process = Process()
        // The test program lies beside it.
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent().appendingPathComponent("eras")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        await during?(process)
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let complaints = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Ending(
            code: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: complaints, as: UTF8.self))
    }
}
