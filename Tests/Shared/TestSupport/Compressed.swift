/// Bytes that are small on the wire and large when decoded.
package enum Compressed {
    /// The number of zero bytes that `zeros` decodes to.
    package static let decodedCount = 300_000

    /// 300,000 zero bytes, gzip encoded.
    package static let zeros = Data(base64Encoded: text) ?? Data()

    /// The number of zero bytes that `bomb` decodes to.
    package static let bombCount = 2_097_152

    /// 2,097,152 zero bytes in 2,067, gzip encoded.
    package static let bomb =
        Data([
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xED, 0xC1, 0x31, 1, 0, 0, 0, 0xC2, 0xA0, 0xF5,
            0x4F, 0x6D, 0x0C, 0x1F, 0xA0,
        ]) + Data(count: 2_032)
        + Data([0xBE, 0x06, 0x7E, 0x87, 0x89, 0x8D, 0, 0, 0x20, 0])

    private static let text =
        "H4sIAAAAAAACA+3BAQ0AAADCoPdPbQ8HFAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/Bj74rL24JME"
        + "AA=="
}
