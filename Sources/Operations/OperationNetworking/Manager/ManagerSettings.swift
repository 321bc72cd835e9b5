import CurlConnection
import Foundation
import FoundationNetworking

/// The settings that a manager gives to each request and operation, as one value.
struct ManagerSettings {
    var requestSerializer = HTTPRequestSerializer()
    var responseSerializer: HTTPResponseSerializer = JSONResponseSerializer()
    var reachabilityManager = NetworkReachabilityManager.shared
    private var shared = OperationSettings.initial

    /// The settings that all operations get and share.
    var operation: OperationSettings {
        get { shared.value }
        set { shared = Shared(newValue) }
    }

    init() {
        operation.chosenPolicy = SecurityPolicy.default()
    }

    var securityPolicy: SecurityPolicy {
        get { shared.policyInUse }
        set { operation.chosenPolicy = newValue }
    }

    var completionTarget: CompletionTarget { shared.completionTarget }

    /// Returns the settings with copies of the serializers and the policy. Other objects are shared.
    func copied() -> ManagerSettings {
        var copy = self
        copy.requestSerializer =
            requestSerializer.copy() as? HTTPRequestSerializer ?? requestSerializer
        copy.responseSerializer =
            responseSerializer.copy() as? HTTPResponseSerializer ?? responseSerializer
        copy.securityPolicy = securityPolicy.copy() as? SecurityPolicy ?? securityPolicy
        return copy
    }

    /// Exchanges the settings with an operation's. The operation keeps its own thread, modes and time limit where the
    /// manager has the default ones.
    mutating func exchange(with other: inout GuardedValues) {
        if other.sharedSettings !== OperationSettings.initial {
            let own = other.settings
            if operation.networkThread === NetworkThread.shared {
                operation.networkThread = own.networkThread
            }
            if operation.runLoopModes == Set.commonModes {
                operation.runLoopModes = own.runLoopModes
            }
            if operation.timeoutIntervalForResource == nil {
                operation.timeoutIntervalForResource = own.timeoutIntervalForResource
            }
        }
        swap(&shared, &other.sharedSettings)
    }

    /// Gives an operation the settings, except the serializer.
    func prepare(_ operation: URLConnectionOperation) {
        var settings = self
        operation.lock.withLock { settings.exchange(with: &operation.guarded) }
        operation.notifyMade()
    }

    func encode(with coder: NSCoder) {
        coder.encode(object: requestSerializer, forKey: "requestSerializer")
        coder.encode(object: responseSerializer, forKey: "responseSerializer")
        coder.encode(object: securityPolicy, forKey: "securityPolicy")
        coder.encode(value: operation.configuration, forKey: "configuration")
        coder.encode(operation.shouldUseCredentialStorage, forKey: "shouldUseCredentialStorage")
        coder.encode(
            value: operation.timeoutIntervalForResource, forKey: "timeoutIntervalForResource")
    }

    /// - Returns: nil where a part is missing or cannot be read. A default policy could be weaker than the archived
    ///   one, and a default serializer could send or accept something else.
    init?(coder: NSCoder) {
        guard let requests = coder.object(HTTPRequestSerializer.self, forKey: "requestSerializer"),
            let responses = coder.object(
                HTTPResponseSerializer.self, forKey: "responseSerializer"),
            let policy = coder.object(SecurityPolicy.self, forKey: "securityPolicy"),
            let configuration = coder.value(
                URLConnectionConfiguration.self, forKey: "configuration")
        else { return nil }
        requestSerializer = requests
        responseSerializer = responses
        securityPolicy = policy
        operation.configuration = configuration
        operation.shouldUseCredentialStorage = coder.bool("shouldUseCredentialStorage") ?? true
        operation.timeoutIntervalForResource = coder.value(
            TimeInterval.self, forKey: "timeoutIntervalForResource")
    }
}
