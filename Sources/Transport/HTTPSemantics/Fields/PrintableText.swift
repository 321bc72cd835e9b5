/// Makes a peer's text safe to print: nothing in it controls a terminal.
extension String {
    /// The text with U+FFFD in place of control characters, line separators and bidirectional
    /// marks.
    package var printable: String { printable(keepingLines: false) }

    /// The same, but line ends and tabs stay.
    package var printableLines: String { printable(keepingLines: true) }

    private func printable(keepingLines: Bool) -> String {
        func isKept(_ byte: UInt8) -> Bool { keepingLines && (byte == 0x0A || byte == 0x09) }
        if areAllBytes({ (0x20..<0x7F).contains($0) || isKept($0) }) { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let isPlain = scalar.isASCII && isKept(UInt8(ascii: scalar)) || !scalar.actsOnTerminal
            result.append(isPlain ? scalar : "\u{FFFD}")
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Controls of ASCII and ISO 6429, line separators and bidirectional marks.
    package var actsOnTerminal: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
