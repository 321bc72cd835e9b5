package import Foundation

/// A host in a canonical spelling, in which hosts compare (RFC 6265 section 5.1.2).
///
/// Names are in lower case, with A-labels. A trailing dot stays, since it makes another host.
/// Addresses compare as they are written.
package struct CanonicalHost: Hashable, Sendable {
    package let text: String
    /// Whether this is an IP address, or a name that resolvers read as one (`127.1`, `0x7f.1`).
    package let isAddress: Bool

    /// - Parameter text: a host name, or an address without brackets, from a URL or a header field.
    /// - Returns: nil for what is neither.
    package init?(_ text: String) {
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard text.utf8.allSatisfy(Self.isAddressByte) else { return nil }
            self.text = text.lowercased()
            isAddress = true
            return
        }
        guard !text.isEmpty, text.utf8.allSatisfy(Self.isNameByte),
            let name = Self.asciiForm(of: text)
        else { return nil }
        var labels = name.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.last?.isEmpty == true {
            labels.removeLast()
        }
        guard let last = labels.last, labels.allSatisfy({ !$0.isEmpty && $0.count <= 63 }) else {
            return nil
        }
        self.text = name
        isAddress = Self.isNumber(last)
    }

    /// The host of a URL; nil where it has none, or one that no resolver would accept.
    package init?(of url: URL) {
        guard let host = url.host else { return nil }
        self.init(host)
    }

    /// The registrable domain, which all hosts of one owner share; the host itself where there is
    /// none.
    package var site: String {
        PublicSuffixList.registrableDomain(of: text) ?? text
    }

    /// Whether the host is the domain or a subdomain of it; an address matches only itself (RFC
    /// 6265 section 5.1.3).
    func isWithin(_ domain: CanonicalHost) -> Bool {
        self == domain || (!isAddress && text.hasSuffix("." + domain.text))
    }

    private static func asciiForm(of name: String) -> String? {
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        let ascii = isASCII ? name : URL(string: "http://\(name)/")?.host
        guard let ascii, ascii.utf8.allSatisfy({ $0 < 0x80 && isNameByte($0) }) else { return nil }
        return ascii.lowercased()
    }

    /// The RFCs allow no underscore in a host name, but many hosts have one.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte >= 0x80 || "-._".utf8.contains(byte)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte < 0x80
            && (isNameByte(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%"))
    }

    /// Decimal digits, or 0x and hexadecimal digits; no host name ends in such a label (RFC 3696
    /// section 2).
    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        label.allSatisfy(\.isASCIIDigit)
            || label.starts(with: "0x".utf8)
                && label.dropFirst(2).allSatisfy { $0.hexDigitValue != nil }
    }
}
