import TestSupport

/// Documentation/Packages.md has what the manifest's targets link.
@Suite("The page of packages", .timeLimit(.minutes(1)))
struct PackagesPageTests {
    private static let packages = [
        "CCurl": "libcurl4-openssl-dev", "COpenSSL": "libssl-dev", "CZlib": "zlib1g-dev",
        "CPublicSuffix": "libpsl-dev", "CSimdJSON": "libsimdjson-dev", "CPNG": "libpng-dev",
        "CJPEG": "libjpeg62-turbo-dev", "CSQLite": "libsqlite3-dev",
    ]

    private func text(_ path: String) throws -> String {
        try String(contentsOf: packageFolder.appendingPathComponent(path), encoding: .utf8)
    }

    /// What each target depends on, as the manifest says it.
    private func dependencies() throws -> [String: [String]] {
        let form = /arget\(\s*name: "(\w+)",\s*dependencies: \[([^\]]*)\]/
        let found = try text("Package.swift").matches(of: form).map { match in
            (String(match.1), match.2.matches(of: /"(\w+)"/).map { String($0.1) })
        }
        return Dictionary(found) { first, _ in first }
    }

    @Test func `each product has the packages that its targets link, and no other`() throws {
        let dependencies = try dependencies()
        func packages(_ target: String) -> Set<String> {
            let below = dependencies[target, default: []].map(packages)
            return below.reduce(Set([Self.packages[target]].compactMap(\.self))) { $0.union($1) }
        }
        let page = try text("Documentation/Packages.md")
        let table =
            page.components(separatedBy: "## To build").last?
            .components(separatedBy: "## To run").first ?? ""
        var before: Set<String> = []
        var products: Set<String> = []
        for row in table.split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
            var stated = Set(
                cells[2].split { $0 == " " || $0 == "`" }.map(String.init)
                    .filter { $0.hasPrefix("lib") || $0.hasPrefix("zlib") })
            if cells[2].contains("those and") { stated.formUnion(before) }
            before = stated
            for name in cells[1].matches(of: /`(\w+)`/).map({ String($0.1) }) {
                let target = name == "SmallPort" ? "SmallPort8Completion" : name
                #expect(packages(target) == stated, "\(name)")
                products.insert(name)
            }
        }
        let form = /\.(?:library|executable)\(name: "(\w+)"/
        let all = try text("Package.swift").matches(of: form).map { String($0.1) }
        #expect(products == Set(all))
    }

    @Test func `what is installed for the build is what the page names`() throws {
        let script = try text("scripts/install-dependencies")
        let page = try text("Documentation/Packages.md")
        let names = script.firstMatch(of: /install-packages" (.*)/)?.1.split(separator: " ") ?? []
        #expect(names.count == 9)
        for name in names { #expect(page.contains("`\(name)`") || page.contains(name)) }
    }
}
