import Foundation

/// Clients written in Python, in an environment of their own; left out where it cannot be made.
struct Python {
    private let folder: URL
    private let scripts: URL

    init(folder: URL) {
        self.folder = folder.appending(path: ".build/python")
        scripts = folder.appending(path: "Rivals")
    }

    var interpreter: String { folder.appending(path: "bin/python").path }

    func script(_ rival: RivalName) -> String {
        scripts.appending(path: rival == .httpx ? "httpx_client.py" : "aiohttp_client.py").path
    }

    /// Makes the environment if it is not there.
    ///
    /// - Returns: why there is none, or nil.
    func prepare() -> String? {
        if imports() { return nil }
        say("Installing aiohttp, httpx and orjson for comparison …")
        let log = folder.path + "-log.txt"
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        let commands = [
            ["python3", "-m", "venv", folder.path],
            [
                interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                "aiohttp", "httpx", "orjson",
            ],
        ]
        for words in commands where !Child.succeeds(words, log: log) {
            return "the clients in Python are left out: \"\(words.joined(separator: " "))\" failed"
        }
        return imports() ? nil : "the clients in Python are left out: they cannot be imported"
    }

    private func imports() -> Bool {
        guard FileManager.default.isExecutableFile(atPath: interpreter) else { return false }
        return Child.succeeds([interpreter, "-c", "import aiohttp, httpx, orjson"])
    }
}
