import Foundation

/// The targets that Package.swift declares, read from its text.
enum PackageManifest {
    struct Target: Sendable, CustomStringConvertible {
        var name: String
        var dependencies: Set<String>
        /// From the package's folder on.
        var folder: String

        var description: String { name }
    }

    static let targets: [Target] = {
        let file = PackageSources.root.appendingPathComponent("Package.swift")
        return read((try? String(contentsOf: file, encoding: .utf8)) ?? "")
    }()

    /// Each target's text reaches to where its parenthesis closes.
    static func read(_ text: String) -> [Target] {
        let code = text.split(separator: "\n").filter {
            !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//")
        }.joined(separator: "\n")
        return code.matches(of: /\.(target|testTarget|executableTarget|systemLibrary)\(/).compactMap
        {
            match in
            let body = closed(code[match.range.upperBound...])
            guard let name = body.firstMatch(of: /name: "(\w+)"/)?.1 else { return nil }
            let list = body.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
            let path = body.firstMatch(of: /path: "([^"]+)"/)?.1
            let place = match.1 == "testTarget" ? "Tests" : "Sources"
            return Target(
                name: String(name),
                dependencies: Set(list.matches(of: /"(\w+)"/).map { String($0.1) }),
                folder: path.map(String.init) ?? "\(place)/\(name)")
        }
    }

    private static func closed(_ text: Substring) -> Substring {
        var depth = 1
        for index in text.indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return text[..<index] }
        }
        return text
    }
}
