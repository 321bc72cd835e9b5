import HTTPSemantics

/// The bytes the server makes of a seed.
package func generated(_ seed: UInt64, _ count: Int64 = 1_000) -> Data {
    GeneratedBytes.bytes(seed: seed, range: 0..<count)
}

/// The SHA-256 of the bytes.
package func hash(_ data: Data) throws -> String {
    let hash = try SHA256()
    data.withUnsafeBytes { hash.update($0) }
    return try hash.digest()
}
