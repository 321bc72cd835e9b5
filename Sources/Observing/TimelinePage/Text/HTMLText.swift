/// Formats texts and numbers for HTML and SVG.
package enum HTMLText {
    /// Escapes a text for element content and for quoted attributes.
    package static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value):
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text in lower case, with a hyphen for each character that is no ASCII letter or digit, for links and CSS.
    package static func identifier(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.lowercased().unicodeScalars.map { scalar in
                    ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) ? scalar : "-"
                }))
    }

    /// Formats a number with three decimals, so that those in a column are aligned.
    package static func exact(_ milliseconds: Double) -> String {
        fixed(milliseconds, decimals: 3)
    }

    /// Formats a number with as many decimals as its size needs: "0.04", "3.1", "214".
    package static func milliseconds(_ value: Double) -> String {
        fixed(value, decimals: value < 1 ? 2 : value < 100 ? 1 : 0)
    }

    package static func milliseconds(nanoseconds: UInt64) -> String {
        milliseconds(Double(nanoseconds) / 1_000_000)
    }

    /// Formats a number with at most one decimal, to save space; one that no picture has room for is 0.
    package static func coordinate(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "0" }
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : fixed(Double(tenths) / 10, decimals: 1)
    }

    /// Formats a number with its digits in groups of three, such as "14 336".
    package static func grouped(_ number: Int64) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result += "\u{2009}" }
            result.append(digit)
        }
        return (number < 0 ? "-" : "") + result
    }

    /// Returns a number with a noun, such as "1 mark" or "2 marks".
    package static func counted(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func fixed(_ value: Double, decimals: Int) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "-" }
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        let whole = Int((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && whole > 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(whole)" }
        let fraction = String(whole % scale)
        let zeros = String(repeating: "0", count: decimals - fraction.count)
        return "\(sign)\(whole / scale).\(zeros)\(fraction)"
    }
}
