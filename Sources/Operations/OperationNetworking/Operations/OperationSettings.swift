import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

/// The settings of an operation, which only the caller changes. The operations of a manager share one value.
struct OperationSettings {
    var networkThread = NetworkThread.shared
    var runLoopModes = Set.commonModes
    var timeoutIntervalForResource: TimeInterval?
    var shouldUseCredentialStorage = true
    var credential: URLCredential?
    /// Nil until a caller sets or reads the operation's `securityPolicy`, or a copy is made. The operations of a
    /// manager share the manager's object, and a copy shares its original's.
    var chosenPolicy: SecurityPolicy?
    var configuration = URLConnectionConfiguration()
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    var observedManager: ObservedManager?

    static let initial = Shared(OperationSettings())

    fileprivate static let defaultPolicy = SecurityPolicy.default()
}

// On `Shared`, not on `OperationSettings`: calling a computed property of the struct would copy it.
extension Shared<OperationSettings> {
    /// The policy that applies. It must not be modified, because all operations share the default one.
    var policyInUse: SecurityPolicy { value.chosenPolicy ?? OperationSettings.defaultPolicy }

    var completionTarget: CompletionTarget {
        CompletionTarget(queue: value.completionQueue, group: value.completionGroup)
    }

    /// The configuration, with the client certificate of `credential`. If the response body is written to a stream,
    /// there is no limit for the ratio of decompressed to received bytes, except for a stream in memory.
    func connectionConfiguration(writingTo stream: OutputStream?) -> URLConnectionConfiguration {
        var configuration = value.configuration
        if let certificate = value.credential as? ClientCertificateCredential {
            configuration.clientCertificate = certificate
        }
        if let stream, !stream.isInMemory {
            configuration.limits.decompressionRatio = nil
        }
        return configuration
    }
}

/// The caller's blocks, except the completion.
struct Blocks {
    typealias Progress = @Sendable (Int64, Int64, Int64) -> Void
    typealias Metrics = @Sendable (RequestMetrics) -> Void

    // These are released when the operation has ended.
    var uploadProgress: Progress?
    var downloadProgress: Progress?
    var metrics: Metrics?
    var retry: (@Sendable (RetryDecision) -> Void)?
    // The network thread feeds these streams directly, not through the completion queue. They are released at the end
    // too.
    var uploadStreams: ProgressStreams?
    var downloadStreams: ProgressStreams?
    // These decide: how a challenge is answered, what is stored, where a redirect goes. They are retained after the
    // end, because a copy of the operation needs them.
    var challenge: (@Sendable (URLConnection, URLAuthenticationChallenge) -> Void)?
    var cacheResponse: (@Sendable (URLConnection, CachedURLResponse) -> CachedURLResponse?)?
    var redirectResponse: (@Sendable (URLConnection, URLRequest, URLResponse?) -> URLRequest?)?

    static let none = Shared(Blocks())

    /// Whether there is a block for challenges, for redirects or for storing responses.
    var haveDecisions: Bool {
        challenge != nil || cacheResponse != nil || redirectResponse != nil
    }

    /// The blocks for challenges, redirects and storing responses alone.
    var decisions: Blocks {
        Blocks(
            challenge: challenge, cacheResponse: cacheResponse, redirectResponse: redirectResponse)
    }
}

enum Completion {
    /// The `completionBlock`.
    case block(@Sendable () -> Void)
    /// The blocks for success and failure, as one. It gets the operation as a parameter, because capturing a weak
    /// reference would make each retain of the operation slower.
    case result(@Sendable (Operation) -> Void)
}

struct OperationResult {
    var error: (any Error)?
    var responseData: Data?
}

/// A manager's `completesInOrder` and `finishesAfterSerialization`; false, the default, is AFNetworking's behaviour.
struct ResultOrder: Sendable {
    /// The serial queue for serializers and completions, if these must run in the order of the requests.
    var queue: DispatchQueue?
    /// Whether an operation finishes only after the serializer has run.
    var isObjectFirst = false

    var isSet: Bool { queue != nil || isObjectFirst }

    /// The quality of service is a high one, because a caller's blocks may occupy all threads of the default one.
    static func makeQueue() -> DispatchQueue {
        DispatchQueue(
            label: "com.alamofire.networking.http-request.ordered", qos: .userInteractive)
    }
}

/// The metrics of an operation. They are allocated at its start, to save memory while thousands of operations wait.
///
/// ## Concurrency
/// Call from: any thread. Lock: the operation's.
final class OperationTimes {
    /// Exclusivity is not checked, for speed. No access runs other code, so accesses cannot overlap.
    @exclusivity(unchecked)
    var metrics = RequestMetrics()
}

// MARK: - Under the lock

/// All that an operation's lock guards, except the result.
struct GuardedValues {
    var request: URLRequest
    var response: URLResponse?
    /// Nil before the first run.
    var times: OperationTimes?

    var sharedSettings = OperationSettings.initial
    var sharedBlocks = Blocks.none
    /// Nil until one of these values is set.
    private(set) var rare: RareValues?

    var completion: Completion?
    /// The network thread of all runs; nil before the first start.
    var runThread: NetworkThread?
    var machine = OperationMachine()
    var outbox = Outbox()
    /// The request's method and URL, as the event recorder shows them.
    var traceName = EventText.none
    /// Whether the current recording has the operation's begin event.
    var hasBegun = false

    init(request: URLRequest) {
        self.request = request
    }

    /// Names the request for a recording.
    mutating func name() {
        guard EventRecorder.isRecording,
            traceName.isNone || !traceName.isOf(EventRecorder.recording)
        else { return }
        traceName = EventText(method: request.httpMethod, url: request.url)
    }

    /// Changes the recorded name after the request was replaced.
    mutating func nameAgain() {
        guard EventRecorder.isRecording, !traceName.isNone else { return }
        traceName = EventText(method: request.httpMethod, url: request.url)
    }

    // Read in place: a copy would retain every reference in it.
    var settings: OperationSettings {
        _read { yield sharedSettings.value }
        set { sharedSettings = Shared(newValue) }
    }

    var blocks: Blocks {
        _read { yield sharedBlocks.value }
        set { sharedBlocks = Shared(newValue) }
    }

    /// Removes the progress streams from a copy, since their readers follow the original operation.
    mutating func dropStreams() {
        guard blocks.uploadStreams != nil || blocks.downloadStreams != nil else { return }
        blocks.uploadStreams = nil
        blocks.downloadStreams = nil
    }

    /// The rare values, for setting one; they are allocated if there are none yet.
    var rareValues: RareValues {
        mutating get {
            if let rare { return rare }
            let new = RareValues()
            rare = new
            return new
        }
    }

    /// -1 if it is not known.
    var expectedContentLength: Int64 { response?.expectedContentLength ?? -1 }

    /// The policy, which the caller may modify. If none was chosen, this creates one for the operation, because all
    /// operations share the default one.
    var securityPolicy: SecurityPolicy {
        mutating get {
            let policy = settings.chosenPolicy ?? .default()
            settings.chosenPolicy = policy
            return policy
        }
    }
}

/// Values that the lock guards too, and that few operations have. They are allocated when one of them is set, to save
/// memory while thousands of operations wait.
///
/// ## Concurrency
/// Call from: any thread. Lock: the operation's.
final class RareValues {
    var responseString: String?
    var outputStream: OutputStream?
    /// Receives the response body instead of `responseData` and the output stream; nil if no Swift task reads it.
    var reader: BodyChannel?
    var userInfo: [AnyHashable: Any]?
    /// The output stream that the run writes to, or wrote to before the pause.
    var streamInUse: OutputStream?
    /// The caller's request, when a pause has added a `Range` to `request`.
    var requestBeforePause: URLRequest?
    var resultOrder = ResultOrder()
    /// The error passed to `fail(with:)` while the operation was paused and not yet started; when it is started, it
    /// ends with this error.
    var failureBeforeStart: (any Error)?
    /// The operation itself, retained while the machine's `retainsItself` is true.
    var itself: Operation?
    /// Called once, after the completion block has returned and the blocks were released.
    var deliveryHooks: [@Sendable () -> Void] = []
    /// Called once when the operation has ended, before observers of `isFinished` are notified. A queue that polls
    /// `isFinished` can see true before this call.
    var finishHooks: [@Sendable () -> Void] = []
    var stateObserver: (@Sendable (StateAnnouncement) -> Void)?
}

/// A large value that many holders share by reference. It can be read without a lock, because it never changes: a
/// holder that sets it gets a reference to a new object.
final class Shared<Value>: @unchecked Sendable {
    // @unchecked because it is constant, and its holders guard what the value refers to.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
