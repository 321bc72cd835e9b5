/// Removes secrets from texts; redacted text stays unchanged when it is redacted again.
///
/// It works on bytes, because it runs for each recorded request. Only the secret is changed.
/// Descriptions of values use the same rules as recordings.
package enum Redaction {
    package static let mark = "REDACTED"

    /// Whether a field, parameter or member of this name is a secret.
    package static func isSecret(_ name: String) -> Bool { SecretNames.contain(name) }

    private static let spaces: ASCIISet = " \t\r\n"
    private static let signs: ASCIISet = "=@%"

    /// Redacts each word that is a URL or a part of one.
    package static func text(_ text: String) -> String {
        redacted(text) { bytes, secrets in
            spaces.eachPiece(of: bytes) { word, _ in secrets.find(inAddress: word) }
        }
    }

    /// Redacts user information, and values in path, query and fragment that have secret names.
    package static func address(_ address: String) -> String {
        redacted(address) { $1.find(inAddress: $0) }
    }

    private static func redacted(
        _ text: String, _ find: (ArraySlice<UInt8>, inout AddressSecrets) -> Void
    ) -> String {
        // Most texts have no character that a secret needs.
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
