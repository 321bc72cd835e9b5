import Dispatch
import Foundation

/// Chromium without a window, once for each page.
struct Browser {
    struct Missing: Error, CustomStringConvertible {
        var description: String {
            "Chromium is not installed; please run: apt-get install chromium fonts-liberation"
        }
    }

    struct TookTooLong: Error, CustomStringConvertible {
        var description: String { "Chromium did not end within a minute and was killed" }
    }

    /// What one run left behind.
    struct Result {
        var output: String
        /// What the page, or the browser about the page, wrote to its console.
        var console: [String]
    }

    private let program: URL

    init() throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        let candidates = path.split(separator: ":").flatMap { folder in
            ["chromium", "chromium-browser", "google-chrome"].map { "\(folder)/\($0)" }
        }
        guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw Missing()
        }
        program = URL(fileURLWithPath: found)
    }

    /// The document after its scripts have run.
    func document(of page: URL, width: Int, height: Int = 900, dark: Bool = false) throws -> Result
    {
        try run(
            ["--dump-dom", "--window-size=\(width),\(height)"]
                + (dark ? ["--blink-settings=preferredColorScheme=0"] : []) + [page.absoluteString])
    }

    /// A picture in PNG, two points wide and high for each pixel of the page.
    func picture(of page: URL, width: Int, height: Int, to file: URL) throws -> Result {
        try run([
            "--screenshot=\(file.path)", "--window-size=\(width),\(height)",
            "--force-device-scale-factor=2", page.absoluteString,
        ])
    }

    /// The page as paper, in PDF.
    func paper(of page: URL, to file: URL) throws -> Result {
        try run(["--print-to-pdf=\(file.path)", "--no-pdf-header-footer", page.absoluteString])
    }

    private func run(_ arguments: [String]) throws -> Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let output = folder.url.appendingPathComponent("output")
        let errors = folder.url.appendingPathComponent("errors")
        for file in [output, errors] {
            try Data().write(to: file)
        }
        let process = Process()
        process.executableURL = program
        process.arguments =
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--hide-scrollbars", "--enable-logging=stderr",
                "--user-data-dir=\(folder.url.path)/profile",
            ] + arguments
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        if ended.wait(timeout: .now() + 60) == .timedOut {
            kill(process.processIdentifier, SIGKILL)
            throw TookTooLong()
        }
        let log = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        return Result(
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            console: log.split(separator: "\n").map(String.init).filter { $0.contains(":CONSOLE") })
    }
}

/// A folder of its own for a test's files.
struct TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("page-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func write(_ text: String, as name: String) throws -> URL {
        let file = url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file
    }

    func remove() { try? FileManager.default.removeItem(at: url) }
}
