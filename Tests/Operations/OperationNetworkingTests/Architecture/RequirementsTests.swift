import TestSupport

@Suite("What the package needs is said where people look", .timeLimit(.minutes(1)))
struct RequirementsTests {
    private static func text(_ path: String) throws -> String {
        try String(
            contentsOf: PackageSources.root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test
    func `README names each Debian package that the build installs`() throws {
        let script = try Self.text("scripts/install-dependencies")
        let line = try #require(
            script.split(separator: "\n").last { $0.contains("install-packages") })
        let packages = line.split(separator: " ").filter {
            $0.hasSuffix("-dev") || $0.hasPrefix("pkg")
        }
        try #require(packages.count > 4)
        let readme = try Self.text("README.md")
        for package in packages {
            #expect(readme.contains(package), "README.md does not name \(package)")
        }
    }

    @Test
    func `README, the script and the manifest ask for the same version of Swift`() throws {
        let manifest = try Self.text("Package.swift")
        let first = try #require(manifest.split(separator: "\n").first)
        let version = try #require(first.split(separator: " ").last)
        for path in ["README.md", "scripts/install-dependencies"] {
            #expect(try Self.text(path).contains("Swift \(version) or later"), "\(path)")
        }
    }
}
