import CurlConnection
import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking

/// One request to a server that asks for Digest: the requests and the body bytes that it sees. The server is
/// in this process, which reads its log.
enum DigestRequests {
    static func run(_ assignment: Assignment, into outcome: inout Outcome) {
        outcome.requests = 1
        outcome.failures = 1
        let server = LoopbackServer()
        do {
            try server.start()
        } catch {
            return Complaint.once("\(error)")
        }
        defer { server.stop() }
        var request = URLRequest(url: server.url("/digest-auth/auth/user/secret"))
        if assignment.bodyLength > 0 {
            request.httpMethod = "POST"
            request.httpBody = Data(repeating: 0x61, count: assignment.bodyLength)
        }
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.configuration = .measured(assignment)
        manager.credential = URLCredential(user: "user", password: "secret", persistence: .none)
        manager.completionQueue = DispatchQueue(label: "completion")
        let answer = Awaited<Reply>()
        let watch = Stopwatch()
        manager.enqueue(
            manager.httpRequestOperation(with: request) { operation, _ in
                answer.give(Reply(isGood: true, byteCount: Int(operation.totalBytesRead)))
            } failure: { _, error in
                answer.give(Reply(error))
            })
        let reply = answer.wait()
        watch.stop(into: &outcome)
        outcome.failures = reply?.isGood == true ? 0 : 1
        outcome.bytes = reply?.byteCount ?? 0
        let seen = server.requests
        outcome.requestsSeen = seen.count
        outcome.bodyBytesSeen = Int(seen.reduce(0) { $0 + $1.bodyLength })
    }
}
