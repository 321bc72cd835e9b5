import CurlConnection
import Foundation
import FoundationNetworking

/// What a manager gives to each request and operation, as one value.
struct ManagerSettings {
    var requestSerializer = HTTPRequestSerializer()
    var responseSerializer: HTTPResponseSerializer = JSONResponseSerializer()
    var shouldUseCredentialStorage = true
    var credential: URLCredential?
    var securityPolicy = SecurityPolicy.default()
    var configuration = URLConnectionConfiguration()
    var reachabilityManager = NetworkReachabilityManager.shared
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?

    init() {}

    var target: CompletionDelivery.Target {
        CompletionDelivery.Target(queue: completionQueue, group: completionGroup)
    }

    /// The same with serializers and a policy of its own (CO-8); the rest is shared.
    func copied() -> ManagerSettings {
        var copy = self
        copy.requestSerializer =
            requestSerializer.copy() as? HTTPRequestSerializer ?? requestSerializer
        copy.responseSerializer =
            responseSerializer.copy() as? HTTPResponseSerializer ?? responseSerializer
        copy.securityPolicy = securityPolicy.copy() as? SecurityPolicy ?? securityPolicy
        return copy
    }

    /// Gives an operation what each gets, and takes what that replaces.
    mutating func exchange(with operation: inout Guarded) {
        operation.shouldUseCredentialStorage = shouldUseCredentialStorage
        swap(&credential, &operation.credential)
        operation.chosenPolicy = securityPolicy
        swap(&configuration, &operation.configuration)
        swap(&completionQueue, &operation.completionQueue)
        swap(&completionGroup, &operation.completionGroup)
    }

    func encode(with coder: NSCoder) {
        coder.encode(requestSerializer, forKey: "requestSerializer")
        coder.encode(responseSerializer, forKey: "responseSerializer")
        coder.encode(securityPolicy, forKey: "securityPolicy")
        coder.encode(credential.flatMap(\.archivable), forKey: "credential")
        ConfigurationArchive.encode(configuration, with: coder)
        coder.encode(shouldUseCredentialStorage, forKey: "shouldUseCredentialStorage")
    }

    /// - Returns: nil where a policy was written and cannot be read: an archive never weakens one
    ///   (wound 5).
    init?(coder: NSCoder) {
        requestSerializer =
            coder.object(HTTPRequestSerializer.self, "requestSerializer") ?? requestSerializer
        responseSerializer =
            coder.object(HTTPResponseSerializer.self, "responseSerializer") ?? responseSerializer
        guard let policy = SecurityPolicy.archived(in: coder),
            let configuration = ConfigurationArchive.decode(from: coder)
        else { return nil }
        securityPolicy = policy
        self.configuration = configuration
        credential = coder.object(URLCredential.self, "credential")
        shouldUseCredentialStorage = coder.bool("shouldUseCredentialStorage") ?? true
    }
}
