// AFNetworking 4's habits in a package of its own, on the transport that a manager has when nothing is
// said.
import AFNetworking
import Foundation
import Peers

let peers = try Peers()

/// What a call gave; made once and then only read.
struct Answer: @unchecked Sendable {
    var task: URLSessionTask?
    var object: Any?
    var error: Error?

    var status: Int? { (task?.response as? HTTPURLResponse)?.statusCode }
    var json: [String: Any]? { object as? [String: Any] }
}

func get(
    _ manager: AFHTTPSessionManager, _ url: URL, _ parameters: [String: Any]? = nil,
    headers: [String: String]? = nil
) async -> Answer {
    await withCheckedContinuation { next in
        manager.get(
            url.absoluteString, parameters: parameters, headers: headers, progress: nil,
            success: { (task: URLSessionDataTask, responseObject: Any?) in
                next.resume(returning: Answer(task: task, object: responseObject))
            },
            failure: { (task: URLSessionDataTask?, error: Error) in
                next.resume(returning: Answer(task: task, error: error))
            })
    }
}

@MainActor
func manager(pinned certificate: Data) -> AFHTTPSessionManager {
    let manager = AFHTTPSessionManager(baseURL: peers.secure.url("/"))
    let policy = AFSecurityPolicy(
        pinningMode: .certificate, withPinnedCertificates: [certificate])
    policy.allowInvalidCertificates = true
    manager.securityPolicy = policy
    return manager
}

// Pinned https
let secure = await get(manager(pinned: peers.pin), peers.secure.url("/get"))
peers.check("pinned https", secure.status == 200, secure.error)
let refused = await get(manager(pinned: try Peers().pin), peers.secure.url("/get"))
peers.check(
    "another certificate is refused",
    refused.status == nil && (refused.error as? URLError)?.code == .serverCertificateUntrusted,
    refused.error)

// Digest
let member = AFHTTPSessionManager()
member.setAuthenticationChallengeHandler { _, _, _, _ in
    URLCredential(user: "ann", password: "secret", persistence: .none)
}
let digest = await get(member, peers.plain.url("/digest-auth/auth/ann/secret"))
peers.check("Digest", digest.status == 200, digest.error)

// gzip
let plain = AFHTTPSessionManager()
let zipped = await get(plain, peers.plain.url("/gzip"))
peers.check("gzip", zipped.json?["gzipped"] as? Bool == true, zipped)

// 302 to another origin, and metrics
nonisolated(unsafe) var seen: RequestMetrics?
plain.setTaskDidFinishCollectingMetricsBlock { (_, _, metrics: RequestMetrics?) in
    seen = metrics
}
let moved = await get(
    plain, peers.plain.url("/redirect-to"), ["url": peers.other.url("/headers").absoluteString],
    headers: ["Authorization": "Bearer t"])
let reported = moved.json?["headers"] as? [String: Any]
peers.check(
    "302 to another origin", moved.task?.response?.url?.port == Int(peers.other.port), moved)
peers.check(
    "which is not told the token", reported != nil && reported?["Authorization"] == nil, reported)
peers.check("metrics", seen?.redirectCount == 1, seen)
peers.check("with both exchanges", seen?.transactionMetrics.count == 2, seen)

// A cached answer
let caching = URLSessionConfiguration.default
caching.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
let reader = AFHTTPSessionManager(baseURL: nil, sessionConfiguration: caching)
for _ in 0..<2 { _ = await get(reader, peers.plain.url("/cache/60")) }
let asked = peers.plain.requests.count { $0.path == "/cache/60" }
peers.check("a cached answer", asked == 1, asked)

// Resume after cancel
let file = peers.folder.appendingPathComponent("file")
nonisolated(unsafe) var isComing = false
let begun = DispatchSemaphore(value: 0)
let request = URLRequest(url: peers.plain.url("/file"))
let first = plain.downloadTask(
    with: request,
    progress: { progress in
        if !isComing, progress.completedUnitCount > 0 {
            isComing = true
            begun.signal()
        }
    }, destination: { _, _ in file }, completionHandler: { _, _, _ in })
first.resume()
await Task.detached { wait(begun) }.value
let resumeData = await withCheckedContinuation { next in
    first.cancel(byProducingResumeData: { next.resume(returning: $0) })
}
if let resumeData {
    let error = await withCheckedContinuation { next in
        plain.downloadTask(
            withResumeData: resumeData, progress: nil, destination: { _, _ in file },
            completionHandler: { _, _, error in next.resume(returning: error) }
        ).resume()
    }
    peers.check("resume after cancel", try Data(contentsOf: file) == Peers.body, error)
    peers.check(
        "of which the server sent the rest", peers.plain.requests.last?.headers["Range"] != nil)
} else {
    peers.check("resume data", false)
}

// Upload progress
let sent = peers.folder.appendingPathComponent("sent")
try Data(count: 2_000_000).write(to: sent)
var post = URLRequest(url: peers.plain.url("/post"))
post.httpMethod = "POST"
nonisolated(unsafe) var fractions: [Double] = []
let stored: Answer = await withCheckedContinuation { next in
    plain.uploadTask(
        with: post, fromFile: sent, progress: { fractions.append($0.fractionCompleted) },
        completionHandler: { _, object, error in
            next.resume(returning: Answer(object: object, error: error))
        }
    ).resume()
}
peers.check("upload", stored.json != nil, stored.error)
peers.check(
    "upload progress", fractions.last == 1 && fractions == fractions.sorted(), fractions)

peers.end()

func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }
