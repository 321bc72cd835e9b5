import TestSupport

/// The built program, run as a person would.
struct Program {
    struct Ending: Sendable {
        var code: Int32
        var output: String
        var errors: String
    }

    /// It lies beside the test program.
    static let executable = {
        // A script's `&` starts the tests so that they, and their children, ignore it.
        signal(SIGINT, SIG_DFL)
        return URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent().appendingPathComponent("eras")
    }()

    /// The signals that end it at once; under nohup SIGHUP does not.
    static let terminations: [Int32] = {
        let handler = signal(SIGHUP, SIG_DFL)
        _ = signal(SIGHUP, handler)
        let isIgnored =
            unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        return isIgnored ? [SIGTERM] : [SIGTERM, SIGHUP]
    }()

    /// - Parameters:
    ///   - executable: another program, which may start the built one.
    ///   - environment: what is added to this process's.
    ///   - place: where standard output goes in place of the ending.
    ///   - during: called with the process as soon as it runs; nobody reads its output meanwhile.
    static func run(
        _ arguments: [String], executable: URL = executable, in folder: URL? = nil,
        environment: [String: String] = [:], output place: FileHandle? = nil,
        during: (@Sendable (Process) async -> Void)? = nil
    ) async throws -> Ending {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = place.map { $0 as Any } ?? output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        await during?(process)
        let isRead = place == nil
        return await onNewThread {
            let text = isRead ? output.fileHandleForReading.readDataToEndOfFile() : Data()
            let complaints = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return Ending(
                code: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
                errors: String(decoding: complaints, as: UTF8.self))
        }
    }
}
