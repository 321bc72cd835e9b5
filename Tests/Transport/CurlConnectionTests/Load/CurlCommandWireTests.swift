@testable import CurlConnection
import TestSupport

@Suite("Requests as commands of curl's, on the wire", .timeLimit(.minutes(5)))
struct CurlCommandWireTests {
    /// A generator that gives the same requests each time.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static let signs = Array(
        "abcXYZ019 '\"\\$`!#%&()*;<>?[]^{|}~@=+,-./:_\té漢🦉")

    private static func text(_ dice: inout Dice, upTo count: Int) -> String {
        String(
            (0..<Int.random(in: 0...count, using: &dice)).map { _ in
                signs.randomElement(using: &dice) ?? "a"
            })
    }

    private static func request(_ base: URL, _ dice: inout Dice) -> URLRequest {
        let allowed = CharacterSet(charactersIn: "abcXYZ019'!$&()*,-./:;=@_~[]")
        let path = text(&dice, upTo: 12).addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        let query =
            text(&dice, upTo: 12).addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        let target = "/echo/\(path.replacing("[", with: "").replacing("]", with: ""))?\(query)"
        let url = URL(string: target, relativeTo: base) ?? base
        var request = URLRequest(url: url.absoluteURL)
        request.httpMethod = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "X-ODD'"]
            .randomElement(using: &dice)
        for _ in 0..<Int.random(in: 0...4, using: &dice) {
            let name =
                [
                    "Accept", "Content-Type", "X-A", "X-B", "Range", "User-Agent", "Cookie", "x-c",
                    "Authorization", "Expect2", "Accept-Encoding",
                ]
                .randomElement(using: &dice) ?? "X"
            let value = text(&dice, upTo: 20).trimmingCharacters(in: .whitespaces)
            request.setValue(name == "Range" ? "bytes=1-" : value, forHTTPHeaderField: name)
        }
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: request.httpBody = Data(text(&dice, upTo: 200).utf8)
        case 1:
            request.httpBody = Data(
                (0..<Int.random(in: 0..<400, using: &dice)).map { _ in
                    UInt8.random(in: 0...255, using: &dice)
                })
        default: break
        }
        if request.httpMethod == "HEAD" { request.httpBody = nil }
        return request
    }

    private struct Seen: Equatable {
        var method: String
        var target: String
        var fields: [String]
        var body: Data

        init(_ request: RecordedRequest) {
            method = request.method
            target = request.target
            fields = request.headers.all.map { "\($0.name): \($0.value)" }
            body = request.body
        }
    }

    private func shell(_ command: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test
    func `200 generated requests are the same on the wire, sent here, by curl, and read back`()
        throws
    {
        try withWorld { world in
            world.server.add("/echo/", isPrefix: true) { _ in .text("ok") }
            var dice = Dice(state: 7)
            for number in 0..<200 {
                let request = Self.request(world.server.url("/"), &dice)
                world.server.resetLog()
                #expect(world.load(request).ends == 1)
                let command = request.curlCommand(showingSecrets: true)
                #expect(try shell(command) == 0, "\(number): \(command)")
                let read = try URLRequest(curlCommand: command)
                #expect(world.load(read).ends == 1)
                var seen = world.server.requests.map(Seen.init)
                try #require(seen.count == 3, "\(number): \(command)")
                // The program curl of version 8 leaves an empty query out.
                if !CurlGlobal.version.hasPrefix("7."), seen[0].target == seen[1].target + "?" {
                    seen[1].target += "?"
                }
                #expect(seen[1] == seen[0], "\(number): \(command)")
                #expect(seen[2] == seen[0], "\(number): \(command)")
            }
        }
    }
}
