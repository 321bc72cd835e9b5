import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("Heads of requests that are large", .timeLimit(.minutes(2)))
struct LargeHeadTests {
    /// libcurl takes a megabyte of head.
    @Test(arguments: [290_000, 900_000], [false, true])
    func `a request is sent whole, however large its fields are`(size: Int, isSecure: Bool) throws {
        try withWorld { world in
            for (method, body) in [("GET", nil), ("HEAD", nil), ("POST", ""), ("POST", "body")] {
                let heads = Log<String>()
                let settings = world.cast.settings
                let server = try RawServer(isSecure ? settings : nil) { peer in
                    guard let head = peer.readHead() else { return }
                    heads.add(head)
                    _ = peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                    _ = peer.read()
                }
                defer { server.stop() }
                var request = URLRequest(url: try server.url(), timeoutInterval: 10)
                request.httpMethod = method
                request.httpBody = body.map { Data($0.utf8) }
                for index in 0..<(size / 10_000) {
                    request.setValue(
                        String(repeating: "v", count: 9_990), forHTTPHeaderField: "X-\(index)")
                }
                let recorder = Recorder()
                let root = world.cast.root.certificate
                let heard = world.load(request, recorder) { $0.trustRequirements.anchors = [root] }
                #expect(heard.error == nil, "\(method) of \(size)")
                #expect(heard.status == 200)
                let head = heads.all.first ?? ""
                for index in 0..<(size / 10_000) {
                    #expect(head.contains("\r\nX-\(index): vvv"))
                }
            }
        }
    }
}
