import Foundation

/// Routes whose responses take time.
extension Routes {
    mutating func addTimed() {
        add(
            "/delay/", listed: "/delay/SECONDS", "Sleeps, then sends \"slept SECONDS\".",
            isPrefix: true
        ) { request, _ in
            let text = request.rest(after: "/delay/")
            guard let seconds = Double(text), 0...3_600 ~= seconds else { return .status(400) }
            return .text("slept \(text)").after(.sleep(seconds: seconds))
        }
        add(
            "/gate/", listed: "/gate/NAME",
            "Waits at the gate NAME, then sends \"passed NAME\".",
            isPrefix: true
        ) { request, _ in
            let name = request.rest(after: "/gate/")
            return .text("passed \(name)").after(.wait(gate: name))
        }
        add(
            "/drip",
            "?n=6&size=1000&delay=0.12&etag=drip1&seed=1: n pieces with pauses; honours ranges."
        ) { request in
            let size = request.number("size", or: 1_000, in: 1...(1 << 30))
            let count = request.number("n", or: 6, in: 0...100_000)
            let seed = UInt64(request.number("seed", or: 1, in: 0...Int64.max))
            let delay = request.seconds("delay", or: 0.12)
            let etag = "\"\(request.query["etag"] ?? "drip1")\""
            return .file(length: size * count, etag: etag, request: request) {
                ScriptedResponse.pieces(seed: seed, range: $0, size: size, delay: delay)
            }
        }
        add(
            "/chunked", "?n=4&size=6&delay=0: n chunks of size bytes, all the letter of their turn."
        ) {
            request in
            let size = Int(request.number("size", or: 6, in: 1...(1 << 20)))
            let count = Int(request.number("n", or: 4, in: 0...10_000))
            let pieces = (0..<count).map {
                Data(repeating: UInt8(ascii: "a") + UInt8($0 % 26), count: size)
            }
            return .chunked(
                pieces, delay: request.seconds("delay", or: 0),
                headers: [("Content-Type", "text/plain")])
        }
        add("/trickle", "?bytes=20&gap=0.05: a text that comes one byte at a time.") { request in
            let count = Int(request.number("bytes", or: 20, in: 0...100_000))
            let pieces = (0..<count).map { Data([UInt8(ascii: "0") + UInt8($0 % 10)]) }
            return .drip(
                pieces, delay: request.seconds("gap", or: 0.05),
                headers: [("Content-Type", "text/plain")])
        }
    }
}
