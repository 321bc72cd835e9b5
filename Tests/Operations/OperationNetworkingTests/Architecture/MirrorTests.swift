import TestSupport

/// Whoever reads a file of `Sources/Group/X/Y` finds its tests in `Tests/Group/XTests/Y`.
@Suite("Tests mirror the sources", .timeLimit(.minutes(1)))
struct MirrorTests {
    /// Folders of tests that no folder of sources answers to, each with its reason.
    private static let exceptions = [
        "AFNetworkingTests/OldSources": "programs in the old spelling",
        "AFNetworkingTests/Sessions": "the same for sessions",
        "AlamofireTests/OldSources": "programs written for Alamofire 4",
        "OperationNetworkingTests/Architecture": "it reads the sources of all modules",
        "OperationNetworkingTests/Architecture/Graph": "what the reader of sources is made of",
        "OperationNetworkingTests/Operations/Data": "more tests than one folder holds",
        "OperationNetworkingTests/Operations/HTTP": "more tests than one folder holds",
        "OperationNetworkingTests/Operations/Life": "more tests than one folder holds",
        "OperationNetworkingTests/Operations/Recording": "more tests than one folder holds",
        "RequestEraTests/Parity": "the recordings, played",
        "RequestEraTests/Parity/Cases": "how cases of each file are played",
        "RequestEraTests/Parity/Rules": "differences that are meant",
        "RequestEraTests/Parity/Traces": "recordings of running requests, played",
        "RequestEraTests/Original": "the original's own tests, under their own names",
        "SessionEraTests/Original": "the original's own tests, under their own names",
        "SessionEraTests/Peers": "against servers that others wrote",
    ]
    /// What the tests of one module share has a folder of this name.
    private static let shared = "Support"

    private static func folders(in folder: String) -> Set<String> {
        let root = PackageSources.root.appendingPathComponent(folder)
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String }
        return Set((paths ?? []).filter { $0.hasSuffix(".swift") }).reduce(into: []) { all, path in
            // Without the group.
            var parts = path.split(separator: "/").dropFirst().dropLast()
            while !parts.isEmpty {
                all.insert(parts.joined(separator: "/"))
                parts.removeLast()
            }
        }
    }

    /// The module that a folder of tests is about; nil for tests of several.
    private static func module(of tests: String) -> String? {
        guard tests.hasSuffix("Tests") else { return nil }
        let name = String(tests.dropLast(5))
        return PackageSources.modules.keys.first { $0.lowercased() == name.lowercased() }
    }

    /// Folders of tests, without those shared, that are none of their module.
    private static let strangers = folders(in: "Tests").filter { folder in
        let parts = folder.split(separator: "/").map(String.init)
        guard let module = parts.first.flatMap(module), parts.count > 1, parts[1] != shared
        else { return false }
        let mirrored = ([module] + parts.dropFirst()).joined(separator: "/")
        return !folders(in: "Sources").contains(mirrored)
    }

    @Test func `each folder of a module's tests is a folder of the module`() {
        #expect(Self.strangers.subtracting(Self.exceptions.keys) == [])
        let covered = Self.folders(in: "Tests").compactMap(Self.module)
        #expect(covered.count >= 7)
    }

    @Test func `no exception of the mirror is without its folder`() {
        #expect(Set(Self.exceptions.keys).subtracting(Self.strangers) == [])
    }
}
