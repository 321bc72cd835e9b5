import AFNetworking

// What 3.x and 4.x spelled in their own ways.

/// 4.x's serializer throws.
func order(
    _ serializer: AFHTTPRequestSerializer, _ url: String, _ parameters: [String: Any]?
) -> String {
    do {
        let request = try serializer.request(
            withMethod: "POST", urlString: url, parameters: parameters)
        request.timeoutInterval = 5
        let empty = try serializer.request(withMethod: "GET", urlString: url, parameters: nil)
        let methods = [request, empty].map { ($0 as URLRequest).httpMethod ?? "none" }
        return "\(methods) \(request.httpBody?.count ?? 0)"
    } catch {
        return "refused"
    }
}

/// 4.x's query block may give nothing.
func sendWithoutQuery(_ server: URL, _ completion: @escaping (String?) -> Void) {
    let manager = AFHTTPSessionManager(baseURL: server)
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.requestSerializer.setQueryStringSerializationWith {
        (request, parameters, error) -> String? in
        (parameters as? String).map { "text=\($0)" }
    }
    manager.get(
        "ok", parameters: ["a": 1], progress: nil,
        success: { task, responseObject in
            completion(task.originalRequest?.url?.query)
        }, failure: { task, error in completion("failed") })
}

/// Pins as a set, and a challenge block with Apple's pointer type.
class PinnedShop {
    let manager: AFHTTPSessionManager

    init(_ server: URL, pins: Set<Data>) {
        manager = AFHTTPSessionManager(baseURL: server)
        let policy = AFSecurityPolicy(pinningMode: .certificate)
        policy.pinnedCertificates = pins
        policy.allowInvalidCertificates = true
        manager.securityPolicy = policy
        manager.setSessionDidReceiveAuthenticationChallenge(challengeBlock())
    }

    var pins: Set<Data>? { manager.securityPolicy.pinnedCertificates }

    func challengeBlock() -> (
        (
            URLSession, URLAuthenticationChallenge,
            AutoreleasingUnsafeMutablePointer<URLCredential?>?
        ) -> URLSession.AuthChallengeDisposition
    )? {
        return { [unowned self] session, challenge, credential in
            guard let trust = challenge.protectionSpace.serverTrust,
                self.manager.securityPolicy.evaluateServerTrust(
                    trust, forDomain: challenge.protectionSpace.host)
            else { return .cancelAuthenticationChallenge }
            credential?.pointee = URLCredential(trust: trust)
            return .useCredential
        }
    }
}

/// The free functions.
func laterFunctions() -> (String, String, [String: Any]?, NSMutableArray?) {
    let object: [String: Any] = ["a": NSNull(), "b": ["c": NSNull(), "d": [1, NSNull()]]]
    return (
        AFQueryStringFromParameters(["q": "a b&c", "k": ["x": 1]]),
        AFPercentEscapedStringFromString(":#[]@!$&'()*+,;=?/ü"),
        AFJSONObjectByRemovingKeysWithNullValues(object, []) as? [String: Any],
        AFJSONObjectByRemovingKeysWithNullValues([NSNull(), 1], .mutableContainers)
            as? NSMutableArray
    )
}

/// The indicator's block of 3.x and 4.x.
func watchActivity(_ block: @escaping (Bool) -> Void) {
    let indicator = AFNetworkActivityIndicatorManager.shared()
    indicator.isEnabled = true
    indicator.activationDelay = 0
    indicator.completionDelay = 0
    indicator.setNetworkingActivityActionWith(block)
}

func forgetActivity() {
    AFNetworkActivityIndicatorManager.shared().isEnabled = false
    AFNetworkActivityIndicatorManager.shared().setNetworkingActivityActionWith(nil)
}
