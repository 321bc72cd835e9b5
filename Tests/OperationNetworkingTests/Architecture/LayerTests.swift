import Foundation
import Testing

@Suite("The layers of the package", .timeLimit(.minutes(5)))
struct LayerTests {
    /// The files that may import what is not plain Swift or Foundation.
    private static let importers: [String: [String]] = [
        "CCurl": [
            "CurlConnection/Curl/CurlCode.swift",
            "CurlConnection/Curl/CurlEasyHandle.swift",
            "CurlConnection/Curl/CurlGlobal.swift",
            "CurlConnection/Curl/CurlMultiHandle.swift",
            "CurlConnection/Curl/CurlStringList.swift",
            "CurlConnection/Transport/EarlyBytes.swift",
            "CurlConnection/Transport/ProxyFailure.swift",
            "CurlConnection/Transport/RunLoopTransport.swift",
            "CurlConnection/Transport/Transfer+Callbacks.swift",
            "CurlConnection/Transport/Transfer+Receiving.swift",
            "CurlConnection/Transport/Transfer+Sending.swift",
            "CurlConnection/Transport/Transfer.swift",
            "CurlConnection/Transport/TransferOptions.swift",
            "CurlConnection/Transport/TransferProxy.swift",
            "CurlConnection/Transport/TransferTrace.swift",
        ],
        "CEpoll": [
            "CurlConnection/Transport/DescriptorSet.swift"
        ],
        "CEvents": [
            "EventRecorder/EventCursor.swift",
            "EventRecorder/EventLog+Thread.swift",
            "EventRecorder/EventRecorder+Now.swift",
            "EventRecorder/EventRecorder+Span.swift",
            "EventRecorder/EventRecorder.swift",
            "EventRecorder/RecorderControl.swift",
            "EventRecorder/Ticks.swift",
        ],
        "CZlib": [
            "CurlConnection/Transport/Inflation.swift"
        ],
        "CPublicSuffix": [
            "CurlConnection/Hosts/PublicSuffixList.swift"
        ],
        "CNetlink": [
            "OperationNetworking/Reachability/NetlinkFacts.swift",
            "OperationNetworking/Reachability/NetlinkMessage.swift",
            "OperationNetworking/Reachability/NetlinkSocket.swift",
        ],
        "CSimdJSON": [
            "OperationNetworking/Serialization/Response/JSONReaders.swift",
            "OperationNetworking/Serialization/Response/JSONTree.swift",
        ],
        "COpenSSL": [
            "CurlConnection/Authentication/ClientCertificateCredential.swift",
            "CurlConnection/Authentication/ClientKey.swift",
            "CurlConnection/Authentication/PKCS12File.swift",
            "CurlConnection/Caching/CacheDigest.swift",
            "CurlConnection/Curl/CurlGlobal.swift",
            "CurlConnection/Transport/ClientIdentity.swift",
            "CurlConnection/Transport/ProxyHandshake.swift",
            "CurlConnection/Transport/Transfer+PeerTrust.swift",
            "CurlConnection/Trust/ChainVerification.swift",
            "CurlConnection/Trust/HostName.swift",
            "CurlConnection/Trust/OpenSSLValue.swift",
            "CurlConnection/Trust/ParsedCertificate.swift",
            "CurlConnection/Trust/ParsedRevocationList.swift",
            "CurlConnection/Trust/SecureConnection.swift",
            "CurlConnection/Trust/TrustAnchors.swift",
            "LoopbackServer/DigestLock.swift",
            "LoopbackServer/TLS/CertificateDraft.swift",
            "LoopbackServer/TLS/TLSContext.swift",
            "LoopbackServer/TLS/TLSIdentity.swift",
            "LoopbackServer/TLS/TLSSession.swift",
            "eras/Files/SHA256.swift",
        ],
        "CoreFoundation": [
            "CurlConnection/Transport/RunLoopSource.swift",
            "OperationNetworking/NetworkThread/NetworkLoop.swift",
            "OperationNetworking/NetworkThread/NetworkThread.swift",
            "OperationNetworking/NetworkThread/RunLoopTrace.swift",
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

    @Test("In CurlConnection each folder names only what lies below it")
    func foldersOfConnection() {
        expect(
            "CurlConnection",
            [
                "Curl": [], "Hosts": [], "Trust": ["Hosts"], "Cookies": ["Hosts"], "Caching": [],
                "Authentication": ["Trust"],
                "Transport": ["Curl", "Trust"],
                "Connection": [
                    "Curl", "Trust", "Hosts", "Cookies", "Caching", "Authentication", "Transport",
                ],
            ])
    }

    @Test("In OperationNetworking each folder names only what lies below it")
    func foldersOfPort() {
        expect(
            "OperationNetworking",
            [
                "Serialization": [], "Security": ["Serialization"], "Reachability": [],
                "NetworkThread": [], "Delivery": ["NetworkThread", "Serialization"],
                "Body": ["Serialization"],
                "State": ["Body", "Delivery", "NetworkThread", "Security"],
                "Archiving": ["State", "Serialization", "Security"],
                "Operations": [
                    "Archiving", "State", "Body", "Delivery", "NetworkThread", "Serialization",
                    "Security",
                ],
                "Manager": [
                    "Operations", "Archiving", "State", "Delivery", "Serialization", "Security",
                    "Reachability",
                ],
                "Activity": ["Operations", "Delivery"],
            ])
    }

    @Test("The session era knows nothing of operations")
    func sessionsBesideOperations() {
        let operations = ["Operations", "State", "Archiving", "Body", "Delivery", "NetworkThread"]
            .flatMap { files("OperationNetworking/\($0)") }
        expectNone(
            of: operations + files("OperationNetworking/Activity"), in: files("SessionEra"))
    }

    private func expect(_ module: String, _ below: [String: [String]]) {
        let folders = below.keys.map { ($0, files("\(module)/\($0)")) }
        for (name, lower) in folders {
            for (other, upper) in folders
            where other != name && below[name]?.contains(other) != true {
                expectNone(of: upper, in: lower)
            }
        }
        let known = folders.map(\.1.count).reduce(0, +)
        #expect(files(module).count == known, "A folder has no place in the order.")
    }

    @Test("Each module imports only what lies below it")
    func moduleImports() {
        let allowed: [String: Set<String>] = [
            "EventRecorder": [],
            "CurlConnection": ["EventRecorder"],
            "OperationNetworking": ["CurlConnection", "EventRecorder"],
            "SessionEra": ["OperationNetworking", "EventRecorder"],
            "AFNetworking": ["OperationNetworking", "SessionEra", "CurlConnection"],
            "LoopbackServer": ["EventRecorder"],
            "eras": [
                "OperationNetworking", "SessionEra", "CurlConnection", "LoopbackServer",
                "EventRecorder",
            ],
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
        arguments: [
            "CCurl", "CEpoll", "CEvents", "CNetlink", "COpenSSL", "CPublicSuffix", "CSimdJSON",
            "CZlib", "CoreFoundation",
        ])
    func importers(of module: String) {
        let found = PackageSources.all.filter { $0.imports.contains(module) }.map(\.path)
        #expect(found == Self.importers[module])
    }
}
