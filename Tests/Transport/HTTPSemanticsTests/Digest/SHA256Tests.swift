import TestSupport

@testable import HTTPSemantics

@Suite("SHA-256", .timeLimit(.minutes(2)))
struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `the hash is that of FIPS 180-4`(text: String, expected: String) throws {
        let hash = try SHA256()
        for byte in text.utf8 {
            withUnsafeBytes(of: byte) { hash.update($0) }
        }
        #expect(try hash.digest() == expected)
    }

    @Test func `a hash between two pieces does not end it`() throws {
        let (parted, whole) = (try SHA256(), try SHA256())
        for piece in ["a", "bc"] {
            Array(piece.utf8).withUnsafeBytes { parted.update($0) }
            _ = try parted.digest()
        }
        Array("abc".utf8).withUnsafeBytes { whole.update($0) }
        #expect(try parted.digest() == whole.digest())
    }
}
