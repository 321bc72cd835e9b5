// Alamofire 4's habits in a package of its own, on the transport that a manager has when nothing is said.
import Alamofire
import Foundation
import Peers

let peers = try Peers()

func json(_ request: DataRequest) async -> DataResponse<Any> {
    await withCheckedContinuation { next in
        request.responseJSON { response in
            nonisolated(unsafe) let response = response
            next.resume(returning: response)
        }
    }
}

func done(_ request: DownloadRequest) async -> DownloadResponse<Data> {
    await withCheckedContinuation { next in request.responseData { next.resume(returning: $0) } }
}

func manager(pinned certificate: Data) throws -> SessionManager {
    let pin = SecCertificateCreateWithData(nil, certificate as CFData)
    return SessionManager(
        configuration: .ephemeral,
        serverTrustPolicyManager: ServerTrustPolicyManager(policies: [
            "127.0.0.1": .pinCertificates(
                certificates: pin.map { [$0] } ?? [], validateCertificateChain: true,
                validateHost: true)
        ]))
}

// Pinned https
let pinned = try manager(pinned: peers.pin)
let secure = await json(pinned.request(peers.secure.url("/get")))
peers.check("pinned https", secure.response?.statusCode == 200, secure.error)
let strangers = try manager(pinned: Peers().pin)
let refused = await json(strangers.request(peers.secure.url("/get")))
peers.check(
    "another certificate is refused", (refused.error as? URLError)?.code == .cancelled,
    refused.error)

// Digest
let digest = await json(
    Alamofire.request(peers.plain.url("/digest-auth/auth/ann/secret"))
        .authenticate(user: "ann", password: "secret"))
peers.check("Digest", digest.response?.statusCode == 200, digest)

// gzip
let zipped = await json(Alamofire.request(peers.plain.url("/gzip")))
peers.check(
    "gzip", (zipped.value as? [String: Any])?["gzipped"] as? Bool == true, zipped)

// 302 to another origin
let target = peers.other.url("/headers").absoluteString
let moved = await json(
    Alamofire.request(
        peers.plain.url("/redirect-to"), parameters: ["url": target],
        headers: ["Authorization": "Bearer t"]))
let reported = (moved.value as? [String: Any])?["headers"] as? [String: Any]
peers.check("302 to another origin", moved.response?.url?.port == Int(peers.other.port), moved)
peers.check(
    "which is not told the token", reported != nil && reported?["Authorization"] == nil, reported)

// A cached answer
let caching = URLSessionConfiguration.default
caching.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
let reader = SessionManager(configuration: caching)
for _ in 0..<2 { _ = await json(reader.request(peers.plain.url("/cache/60"))) }
let asked = peers.plain.requests.count { $0.path == "/cache/60" }
peers.check("a cached answer", asked == 1, asked)

// Resume after cancel
let file = peers.folder.appendingPathComponent("file")
let first = Alamofire.download(peers.plain.url("/file")) { _, _ in (file, []) }
await withCheckedContinuation { next in
    nonisolated(unsafe) var isTold = false
    first.downloadProgress { progress in
        if !isTold, progress.completedUnitCount > 0 {
            isTold = true
            next.resume()
        }
    }
}
first.cancel()
let stopped = await done(first)
if let resumeData = stopped.resumeData {
    let rest = await done(Alamofire.download(resumingWith: resumeData) { _, _ in (file, []) })
    peers.check("resume after cancel", rest.value == Peers.body, rest.error)
    peers.check(
        "of which the server sent the rest", peers.plain.requests.last?.headers["Range"] != nil)
} else {
    peers.check("resume data", false, stopped.error)
}

// Upload progress
let sent = peers.folder.appendingPathComponent("sent")
try Data(count: 2_000_000).write(to: sent)
nonisolated(unsafe) var fractions: [Double] = []
let upload = Alamofire.upload(sent, to: peers.plain.url("/post"))
    .uploadProgress { fractions.append($0.fractionCompleted) }
let stored = await json(upload)
peers.check(
    "upload", stored.response?.statusCode == 200, stored.error)
peers.check(
    "upload progress", fractions.last == 1 && fractions == fractions.sorted(), fractions)

// Metrics
let metrics = moved.metrics
peers.check("metrics", metrics?.redirectCount == 1, metrics)
peers.check("with both exchanges", metrics?.transactionMetrics.count == 2, metrics)
peers.check("and the serializer", metrics?.serializedDate != nil, metrics)

peers.end()
