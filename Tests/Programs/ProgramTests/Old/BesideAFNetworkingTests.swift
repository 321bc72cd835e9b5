import AFNetworking
import Alamofire
import Foundation
import Testing

// A program may bring both along, in one file or in two of one target.

@Suite("Beside module AFNetworking")
struct BesideAFNetworkingTests {
    @available(*, deprecated)
    @Test func `a challenge's trust and its credential are named once`() {
        let later = AFHTTPSessionManager(baseURL: nil)
        later.setSessionDidReceiveAuthenticationChallenge { _, challenge, credential in
            credential?.pointee = challenge.protectionSpace.serverTrust.map {
                URLCredential(trust: $0)
            }
            return .useCredential
        }
        let manager = SessionManager(configuration: .ephemeral)
        manager.delegate.sessionDidReceiveChallenge = { _, challenge in
            guard let trust = challenge.protectionSpace.serverTrust else {
                return (.performDefaultHandling, nil)
            }
            return (.useCredential, URLCredential(trust: trust))
        }
        let space = URLProtectionSpace(
            host: "a.example.com", port: 443, protocol: "https", realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust)
        #expect(space.serverTrust == nil)
        later.invalidateSessionCancelingTasks(true, resetSession: false)
    }

    @Test func `what both have for Foundation's gaps is named once`() {
        let dictionary = NSMutableDictionary()
        dictionary.setValue(["b": 1], forKey: "a")
        #expect(dictionary.value(forKeyPath: "a.b") as? Int == 1)
        let nothing = dictionary.value(forKey: "c")
        #expect(nothing == nil)
        #expect(([dictionary] as NSArray).value(forKeyPath: "a.b") is [Any])
        #expect(NSEC_PER_SEC / NSEC_PER_MSEC == NSEC_PER_USEC)
    }

    @available(*, deprecated)
    @Test func `two types need their module, and tasks their own name`() {
        let form: Alamofire.MultipartFormData = MultipartFormData()
        form.append(Data("1".utf8), withName: "a")
        let monitor: Alamofire.NetworkReachabilityManager? = Alamofire.NetworkReachabilityManager()
        let parts: [any AFMultipartFormData] = []
        let tasks: [SessionTask] = []
        let result: Result<UInt64> = .success(form.contentLength)
        #expect(result.value == 1 && parts.isEmpty && tasks.isEmpty && monitor?.listener == nil)
    }
}
