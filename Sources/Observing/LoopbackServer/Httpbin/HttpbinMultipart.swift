import Foundation

/// The fields and files of a multipart body; nil when it has no boundary or no end, or a part is malformed.
struct HttpbinMultipart {
    struct File {
        let name: String
        let fileName: String
        let contentType: String
        let data: Data
    }

    private(set) var fields: [(String, String)] = []
    private(set) var files: [File] = []

    init?(_ contentType: String, _ body: Data) {
        guard let boundary = Self.parameter("boundary", of: contentType), !boundary.isEmpty else {
            return nil
        }
        let delimiter = Data("\r\n--\(boundary)".utf8)
        var rest = Data("\r\n".utf8) + body
        guard let first = rest.firstRange(of: delimiter) else { return nil }
        rest = rest[first.upperBound...]
        while !rest.starts(with: Data("--".utf8)) {
            guard let lineEnd = rest.firstRange(of: Data("\r\n".utf8)),
                let next = rest[lineEnd.lowerBound...].firstRange(of: delimiter)
            else { return nil }
            guard add(rest[lineEnd.upperBound..<max(lineEnd.upperBound, next.lowerBound)]) else {
                return nil
            }
            rest = rest[next.upperBound...]
        }
    }

    private mutating func add(_ part: Data) -> Bool {
        guard let blank = part.firstRange(of: Data("\r\n\r\n".utf8)) else { return false }
        let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
        let data = Data(part[blank.upperBound...])
        var headers: [String: String] = [:]
        for line in head.components(separatedBy: "\r\n") {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { return false }
            headers[halves[0].lowercased()] = halves[1].trimmingCharacters(in: .whitespaces)
        }
        let disposition = headers["content-disposition"] ?? ""
        guard let name = Self.parameter("name", of: disposition) else { return true }
        if let fileName = Self.parameter("filename", of: disposition) {
            let type = headers["content-type"] ?? "text/plain"
            files.append(File(name: name, fileName: fileName, contentType: type, data: data))
        } else {
            fields.append((name, String(decoding: data, as: UTF8.self)))
        }
        return true
    }

    /// The value of a parameter such as `boundary=x` or `name="x"`.
    private static func parameter(_ name: String, of value: String) -> String? {
        for piece in pieces(of: value).dropFirst() {
            let halves = piece.split(separator: "=", maxSplits: 1)
            guard halves.count == 2,
                halves[0].trimmingCharacters(in: .whitespaces).lowercased() == name
            else { continue }
            let text = halves[1].trimmingCharacters(in: .whitespaces)
            return text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
        }
        return nil
    }

    /// The pieces between semicolons that are not in quotes.
    private static func pieces(of value: String) -> [String] {
        var result = [""]
        var isQuoted = false
        for character in value {
            if character == "\"" { isQuoted.toggle() }
            if character == ";", !isQuoted {
                result.append("")
            } else {
                result[result.count - 1].append(character)
            }
        }
        return result
    }
}
