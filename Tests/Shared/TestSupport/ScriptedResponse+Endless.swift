extension ScriptedResponse {
    /// A chunked body that ends after a tebibyte.
    package static var endless: ScriptedResponse {
        ScriptedResponse([
            .bytes(head(200, [("Transfer-Encoding", "chunked")])),
            .bytes(chunk(Data(count: 100_000))), .bytes(Data("10000000000\r\n".utf8)),
            .generated(seed: 1, range: 0..<(1 << 40)),
        ])
    }
}
