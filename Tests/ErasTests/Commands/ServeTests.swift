import Foundation
import Testing

@testable import eras

@Suite("The program serves", .timeLimit(.minutes(2)))
struct ServeTests {
    /// A server in a process of its own; what it printed up to the end of its list.
    private func serve(
        _ options: [String], _ body: ([String]) async throws -> Void
    ) async throws {
        let process = Process()
        process.executableURL = Program.executable
        process.arguments = ["serve"] + options
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        defer {
            process.interrupt()
            process.waitUntilExit()
        }
        var text = ""
        while !text.contains("Ctrl-C ends it.") {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += String(decoding: more, as: UTF8.self)
        }
        try await body(text.components(separatedBy: "\n"))
    }

    @Test func `what a newcomer tries is there`() async throws {
        try await serve([]) { lines in
            for path in [
                "/get", "/post", "/range/N", "/stream/N", "/ip", "/uuid", "/image/png", "/gzip",
                "/digest-auth/QOP/USER/PASS", "/gate/NAME", "/hang",
            ] {
                #expect(lines.contains { $0.hasPrefix("  \(path) ") }, "\(path)")
            }
            let room = try FetchRoom()
            let ending = try await Program.run(
                ["fetch", "-o", room.directory, lines[0] + "range/26"])
            #expect(ending.code == 0, "\(ending.errors)")
            #expect(room.contents("26") == Data("abcdefghijklmnopqrstuvwxyz".utf8))
        }
    }

    @Test func `its first answer in JSON does not wait for tables of languages`() async throws {
        let times = Latest<[Double]>([])
        for _ in 1...3 {
            try await serve([]) { lines in
                let room = try FetchRoom()
                // This process's own first use.
                _ = await room.fetch("/ok")
                let result = try #require(await room.fetch(lines[0] + "get").first)
                let milliseconds = try #require(result.wireMilliseconds)
                times.change { $0.append(milliseconds) }
            }
        }
        #expect((times.value.min() ?? .infinity) < 25, "\(times.value)")
    }

    @Test func `over TLS it says where its certificates are, and removes them`() async throws {
        let paths = Latest<[String]>([])
        try await serve(["--tls"]) { lines in
            #expect(lines[0].hasPrefix("https://127.0.0.1:"))
            let files = lines.map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { $0.hasPrefix("/") && ($0.hasSuffix(".pem") || $0.hasSuffix(".cer")) }
            paths.value = files
            #expect(files.count == 2)
            #expect(files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
            let room = try FetchRoom()
            let arguments = ["fetch", "-o", room.directory, lines[0] + "uuid"]
            let stranger = try await Program.run(arguments)
            #expect(stranger.code == 1)
            #expect(stranger.errors.contains("certificate"), "\(stranger.errors)")
            let friend = try await Program.run(arguments, environment: ["SSL_CERT_FILE": files[0]])
            #expect(friend.code == 0, "\(friend.errors)")
        }
        #expect(paths.value.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
    }
}
