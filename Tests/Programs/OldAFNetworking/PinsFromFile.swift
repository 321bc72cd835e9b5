// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry
import AFNetworking

func policyPinned(to path: String) -> AFSecurityPolicy {
    let policy = AFSecurityPolicy(pinningMode: AFSSLPinningMode.certificate)
    let certificate = try! Data(contentsOf: URL(fileURLWithPath: path))
    policy.pinnedCertificates = [certificate]
    return policy
}

func trustAnyone(_ operation: AFHTTPRequestOperation) {
    operation.setWillSendRequestForAuthenticationChallenge { (connection, challenge) in
        if let trust = challenge.protectionSpace.serverTrust {
            challenge.sender?.use(URLCredential(trust: trust), for: challenge)
        }
    }
}

/// As 3.x and 4.x have it.
func policyWithSet(of certificates: Set<Data>) -> AFSecurityPolicy {
    return AFSecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: certificates)
}
