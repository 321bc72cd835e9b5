import Foundation

/// Routes whose heads or trailers are valid but rare.
extension Routes {
    mutating func addOddHeads() {
        add("/early-hints", "103 with a Link field and then 200.") { _ in
            let hints = ScriptedResponse.head(
                103, [("Link", "</style.css>; rel=preload; as=style")])
            return .text("hello world").after(.bytes(hints))
        }
        add("/continue-unasked", "100 without an Expect and then 200.") { _ in
            .text("hello world").after(.bytes(ScriptedResponse.head(100)))
        }
        add("/trailers", "A chunked body with the trailer field X-Trailer.") { _ in
            .chunked(
                [Data("hello ".utf8), Data("world".utf8)],
                headers: [("Content-Type", "text/plain")],
                trailers: [("X-Trailer", "done")])
        }
        add("/big-head", "?size=8000: a head with one field of that many bytes.") { request in
            let size = Int(request.number("size", or: 8_000, in: 0...(1 << 20)))
            return .text(
                "hello world", headers: [("X-Filler", String(repeating: "x", count: size))])
        }
    }
}
