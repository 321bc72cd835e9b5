/// A version of TLS that a connection may be asked for.
public enum TLSVersion: Int, Sendable, Comparable, CaseIterable, Codable {
    /// RFC 5246, the least that this package speaks.
    case tls12 = 12
    /// RFC 8446.
    case tls13 = 13

    /// By age.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool {
        left.rawValue < right.rawValue
    }
}
