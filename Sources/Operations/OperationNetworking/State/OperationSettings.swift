import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics

/// What a caller may set on an operation and nobody but a caller changes; a manager's operations
/// share one.
struct OperationSettings {
    var networkThread = NetworkThread.shared
    var runLoopModes = Set.commonModes
    var timeoutIntervalForResource: TimeInterval?
    var shouldUseCredentialStorage = true
    var credential: URLCredential?
    /// Nil until one is set, or read by a caller who may change it.
    var chosenPolicy: SecurityPolicy?
    var configuration = URLConnectionConfiguration()
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    /// Nil where nobody observes.
    var observedManager: ObservedManager?

    static let initial = Shared(OperationSettings())

    /// The policy for reading alone: nobody else sees the default.
    var policyInUse: SecurityPolicy { chosenPolicy ?? Self.defaultPolicy }
    private static let defaultPolicy = SecurityPolicy.default()

    /// What a connection gets: a client certificate is for the request's own origin, and what goes
    /// to a stream, but for one in memory, may unpack to any size.
    func connectionConfiguration(writingTo stream: OutputStream?) -> URLConnectionConfiguration {
        var configuration = configuration
        if let certificate = credential as? ClientCertificateCredential {
            configuration.clientCertificate = certificate
        }
        if let stream, !stream.isInMemory {
            configuration.limits.decompressionRatio = nil
        }
        return configuration
    }
}
