import CurlConnection
import Foundation
import FoundationNetworking

/// What a manager gives to each request and operation, as one value.
struct ManagerSettings {
    var requestSerializer = HTTPRequestSerializer()
    var responseSerializer: HTTPResponseSerializer = JSONResponseSerializer()
    var reachabilityManager = NetworkReachabilityManager.shared
    private var shared = OperationSettings.initial

    /// What operations are given, and share.
    var operation: OperationSettings {
        get { shared.value }
        set { shared.value = newValue }
    }

    init() {
        operation.chosenPolicy = SecurityPolicy.default()
    }

    var securityPolicy: SecurityPolicy {
        get { operation.policyInUse }
        set { operation.chosenPolicy = newValue }
    }

    var target: CompletionDelivery.Target {
        CompletionDelivery.Target(
            queue: operation.completionQueue, group: operation.completionGroup)
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

    /// Gives an operation what each gets, and takes what that replaces. What a manager has no
    /// setting for stays the operation's own.
    mutating func exchange(with other: inout Guarded) {
        if !other.sharedSettings.isSame(as: OperationSettings.initial) {
            let own = other.settings
            operation.networkThread = own.networkThread
            operation.runLoopModes = own.runLoopModes
            operation.timeoutIntervalForResource = own.timeoutIntervalForResource
        }
        swap(&shared, &other.sharedSettings)
    }

    func encode(with coder: NSCoder) {
        coder.encode(object: requestSerializer, forKey: "requestSerializer")
        coder.encode(object: responseSerializer, forKey: "responseSerializer")
        coder.encode(object: securityPolicy, forKey: "securityPolicy")
        ConfigurationArchive.encode(operation.configuration, with: coder)
        coder.encode(operation.shouldUseCredentialStorage, forKey: "shouldUseCredentialStorage")
    }

    /// - Returns: nil where a part is missing or cannot be read: an archive never weakens a policy
    ///   (wound 5), and what stands in for a serializer may send or accept something else.
    init?(coder: NSCoder) {
        guard let requests = coder.object(HTTPRequestSerializer.self, forKey: "requestSerializer"),
            let responses = coder.object(
                HTTPResponseSerializer.self, forKey: "responseSerializer"),
            let policy = coder.object(SecurityPolicy.self, forKey: "securityPolicy"),
            let configuration = ConfigurationArchive.decode(from: coder)
        else { return nil }
        requestSerializer = requests
        responseSerializer = responses
        securityPolicy = policy
        operation.configuration = configuration
        operation.shouldUseCredentialStorage = coder.bool("shouldUseCredentialStorage") ?? true
    }
}
