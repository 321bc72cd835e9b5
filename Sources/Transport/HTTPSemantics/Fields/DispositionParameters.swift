import Foundation

/// The parameters of a `Content-Disposition` field (RFC 6266 section 4.1).
struct DispositionParameters {
    private var values: [String: String] = [:]

    /// The first parameter of each name counts; what is no parameter is skipped.
    init(_ field: String) {
        for part in Self.parts(of: field) {
            guard let equals = part.firstIndex(of: "=") else { continue }
            let name = Self.text(part[..<equals]).lowercased()
            if values[name] == nil {
                values[name] = Self.unquoted(Self.text(part[part.index(after: equals)...]))
            }
        }
    }

    var fileName: String? { values["filename"] }

    /// `charset'language'percent-encoded`; nil where it is malformed, so that `filename` is used.
    var extendedFileName: String? {
        guard let value = values["filename*"] else { return nil }
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return parts[2].removingPercentEncoding
        case "iso-8859-1":
            return URLEscape.decoded(parts[2].utf8)
                .flatMap { String(bytes: $0, encoding: .isoLatin1) }
        default: return nil
        }
    }

    /// The parts between semicolons that are not in quotes.
    private static func parts(of field: String) -> [String.UnicodeScalarView.SubSequence] {
        var isQuoted = false
        var isEscaped = false
        return field.unicodeScalars.split(omittingEmptySubsequences: true) { scalar in
            if isEscaped {
                isEscaped = false
            } else if scalar == "\"" {
                isQuoted.toggle()
            } else if scalar == "\\" {
                isEscaped = isQuoted
            }
            return scalar == ";" && !isQuoted
        }
    }

    private static func text(_ part: String.UnicodeScalarView.SubSequence) -> String {
        String(part).trimmingCharacters(in: .whitespaces)
    }

    /// Without its quotes. Only `\"` and `\\` are escapes: servers send Windows paths unescaped.
    private static func unquoted(_ value: String) -> String {
        let scalars = value.unicodeScalars
        guard scalars.first == "\"" else { return value }
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in scalars.dropFirst() {
            if isEscaped {
                if scalar != "\"" && scalar != "\\" { result.append("\\") }
                result.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                break
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
