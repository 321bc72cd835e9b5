import Foundation
import Testing

@Suite("The layers of the package", .timeLimit(.minutes(5)))
struct LayerTests {
    /// The files that may import what is not plain Swift or Foundation.
    private static let importers: [String: [String]] = [
        "CCurl": [
            "CurlConnection/Curl/CurlCode.swift", "CurlConnection/Curl/CurlEasyHandle.swift",
            "CurlConnection/Curl/CurlGlobal.swift", "CurlConnection/Curl/CurlMultiHandle.swift",
            "CurlConnection/Curl/CurlStringList.swift",
            "CurlConnection/Transport/RunLoopTransport.swift",
            "CurlConnection/Transport/Transfer.swift",
            "CurlConnection/Transport/TransferOptions.swift",
        ],
        "CEpoll": ["CurlConnection/Transport/DescriptorSet.swift"],
        "CNetlink": [
            "OperationNetworking/Reachability/NetlinkFacts.swift",
            "OperationNetworking/Reachability/NetlinkMessage.swift",
            "OperationNetworking/Reachability/NetlinkSocket.swift",
        ],
        "COpenSSL": [
            "CurlConnection/Transport/Transfer+PeerTrust.swift",
            "CurlConnection/Trust/ChainVerification.swift",
            "CurlConnection/Trust/HostName.swift",
            "CurlConnection/Trust/ParsedCertificate.swift",
            "CurlConnection/Trust/TrustAnchors.swift",
            "eras/Files/SHA256.swift",
        ],
        "CoreFoundation": [
            "CurlConnection/Transport/RunLoopSource.swift",
            "OperationNetworking/Operations/NetworkThread.swift",
            "OperationNetworking/Serialization/Request/ParameterShape.swift",
            "OperationNetworking/Serialization/TextEncoding.swift",
        ],
    ]

    private func files(_ folder: String) -> [PackageSources.File] {
        let files = PackageSources.all.filter { $0.path.hasPrefix(folder + "/") }
        #expect(!files.isEmpty, "\(folder)")
        return files
    }

    /// No file of `lower` names a type that `upper` declares.
    private func expectNone(of upper: [PackageSources.File], in lower: [PackageSources.File]) {
        let types = Set(upper.flatMap(\.topLevelTypes))
        #expect(!types.isEmpty)
        for file in lower {
            for type in types where file.names(type) {
                Issue.record("\(file.path) names \(type), which lies above it.")
            }
        }
    }

    @Test("CurlConnection knows nothing of operations")
    func connectionBelowOperations() {
        let lower = files("CurlConnection")
        expectNone(of: files("OperationNetworking"), in: lower)
        for file in lower {
            #expect(!file.imports.contains("OperationNetworking"), "\(file.path)")
            #expect(!file.names("Operation") && !file.names("OperationQueue"), "\(file.path)")
        }
    }

    @Test("In CurlConnection, Curl and Trust lie below Transport, and that below Connection")
    func foldersOfConnection() {
        let (curl, trust) = (files("CurlConnection/Curl"), files("CurlConnection/Trust"))
        let transport = files("CurlConnection/Transport")
        let connection = files("CurlConnection/Connection")
        expectNone(of: connection, in: transport + curl + trust)
        expectNone(of: transport, in: curl + trust)
        expectNone(of: curl, in: trust)
        let known = curl + trust + transport + connection
        #expect(files("CurlConnection").count == known.count, "A folder has no place in the order.")
    }

    @Test("In OperationNetworking each folder names only what lies below it")
    func foldersOfPort() {
        let below: [String: [String]] = [
            "Serialization": [], "Security": [], "Reachability": [],
            "Operations": ["Serialization", "Security"],
            "Manager": ["Operations", "Serialization", "Security", "Reachability"],
            "Activity": ["Operations"],
        ]
        let folders = below.keys.map { ($0, files("OperationNetworking/\($0)")) }
        for (name, lower) in folders {
            for (other, upper) in folders
            where other != name && below[name]?.contains(other) != true {
                expectNone(of: upper, in: lower)
            }
        }
        let known = folders.map(\.1.count).reduce(0, +)
        #expect(files("OperationNetworking").count == known, "A folder has no place in the order.")
    }

    @Test("Each module imports only what lies below it")
    func moduleImports() {
        let allowed: [String: Set<String>] = [
            "CurlConnection": [],
            "OperationNetworking": ["CurlConnection"],
            "AFNetworking": ["OperationNetworking", "CurlConnection"],
            "LoopbackServer": [],
            "eras": ["OperationNetworking", "CurlConnection", "LoopbackServer"],
        ]
        for (module, below) in allowed {
            for file in files(module) {
                let own = Set(file.imports).intersection(allowed.keys)
                #expect(own.isSubset(of: below), "\(file.path)")
            }
        }
    }

    @Test(
        "C modules and CoreFoundation are imported by the files listed here only",
        arguments: ["CCurl", "CEpoll", "CNetlink", "COpenSSL", "CoreFoundation"])
    func importers(of module: String) {
        let found = PackageSources.all.filter { $0.imports.contains(module) }.map(\.path)
        #expect(found == Self.importers[module])
    }
}
