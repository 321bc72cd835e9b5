/// Takes secrets out of texts; what is redacted stays as it is when it comes again.
///
/// It works on bytes, for it sees the text of each recorded request. Only the secret is changed. What
/// recordings may show, descriptions may show, and nothing else: these rules are the only ones.
package enum Redaction {
    package static let mark = "REDACTED"

    /// Whether a field, parameter or member of this name is a secret.
    package static func isSecret(_ name: String) -> Bool { SecretNames.contain(name) }

    private static let spaces: ASCIISet = " \t\r\n"
    private static let signs: ASCIISet = "=@%"

    /// Redacts each word that is an address or a part of one.
    package static func text(_ text: String) -> String {
        redacted(text) { bytes, secrets in
            spaces.eachPiece(of: bytes) { word, _ in secrets.find(inAddress: word) }
        }
    }

    /// Redacts user information, and values in path, query and fragment whose names are those of
    /// secrets.
    package static func address(_ address: String) -> String {
        redacted(address) { $1.find(inAddress: $0) }
    }

    private static func redacted(
        _ text: String, _ find: (ArraySlice<UInt8>, inout AddressSecrets) -> Void
    ) -> String {
        // Most texts have nothing that could be a secret.
        guard text.utf8.contains(where: signs.contains) else { return text }
        let bytes = Array(text.utf8)
        var secrets = AddressSecrets()
        find(bytes[...], &secrets)
        guard !secrets.ranges.isEmpty else { return text }
        var result: [UInt8] = []
        var end = 0
        for range in secrets.ranges {
            result += bytes[end..<range.lowerBound]
            result += mark.utf8
            end = range.upperBound
        }
        result += bytes[end...]
        return String(decoding: result, as: UTF8.self)
    }
}
