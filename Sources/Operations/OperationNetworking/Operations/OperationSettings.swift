import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

/// The settings that only a caller changes; a manager's operations share one value.
struct OperationSettings {
    var networkThread = NetworkThread.shared
    var runLoopModes = Set.commonModes
    var timeoutIntervalForResource: TimeInterval?
    var shouldUseCredentialStorage = true
    var credential: URLCredential?
    /// Nil until a caller sets one, or reads it: a reader gets an object of its own, because it may modify it.
    var chosenPolicy: SecurityPolicy?
    var configuration = URLConnectionConfiguration()
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    var observedManager: ObservedManager?

    static let initial = Shared(OperationSettings())

    /// For reading only: the default policy is shared.
    var policyInUse: SecurityPolicy { chosenPolicy ?? Self.defaultPolicy }
    private static let defaultPolicy = SecurityPolicy.default()

    /// The connection's configuration, with the client certificate. A body that goes to a
    /// stream has no limit for its decompression ratio, unless the stream collects it in memory.
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

/// The caller's blocks, except the completion.
struct Blocks {
    typealias Progress = @Sendable (Int64, Int64, Int64) -> Void
    typealias Metrics = @Sendable (RequestMetrics) -> Void

    // These only report, and are released after the end.
    var uploadProgress: Progress?
    var downloadProgress: Progress?
    // Read by Swift tasks; they get values on the network thread, not on a queue.
    var uploadStreams: ProgressStreams?
    var downloadStreams: ProgressStreams?
    var metrics: Metrics?
    var retry: (@Sendable (RetryDecision) -> Void)?
    // These decide, and live as long as the operation: a copy that is made after the end needs them.
    var challenge: (@Sendable (URLConnection, URLAuthenticationChallenge) -> Void)?
    var cacheResponse: (@Sendable (URLConnection, CachedURLResponse) -> CachedURLResponse?)?
    var redirectResponse: (@Sendable (URLConnection, URLRequest, URLResponse?) -> URLRequest?)?

    static let none = Shared(Blocks())

    /// Whether one of them decides what is sent, followed or stored.
    var haveDecisions: Bool {
        challenge != nil || cacheResponse != nil || redirectResponse != nil
    }

    /// Without the blocks that only report.
    var decisions: Blocks {
        var blocks = self
        blocks.uploadProgress = nil
        blocks.downloadProgress = nil
        blocks.uploadStreams = nil
        blocks.downloadStreams = nil
        blocks.metrics = nil
        blocks.retry = nil
        return blocks
    }
}

enum Completion {
    /// The caller's block.
    case block(@Sendable () -> Void)
    /// The block for success and failure. It gets the operation: a weak reference to it would make all other references
    /// slow.
    case result(@Sendable (Operation) -> Void)
}

struct OperationResult {
    var error: (any Error)?
    var responseData: Data?
}

/// A manager's `completesInOrder` and `finishesAfterSerialization`; both false by default, as in AFNetworking.
struct ResultOrder: Sendable {
    /// The serial queue for serializers and completions; nil where they come in any order.
    var queue: DispatchQueue?
    var isObjectFirst = false

    var isAsked: Bool { queue != nil || isObjectFirst }

    /// Of a high quality of service: callers may block all threads of the default one.
    static func makeQueue() -> DispatchQueue {
        DispatchQueue(
            label: "com.alamofire.networking.http-request.ordered", qos: .userInteractive)
    }
}

/// The times of an operation. Allocated at the start, since thousands of operations may wait.
///
/// ## Concurrency
/// Call from: any thread. Lock: the operation's.
final class OperationTimes {
    /// Exclusivity is unchecked for speed: no access calls other code.
    @exclusivity(unchecked)
    var metrics = RequestMetrics()
}

// MARK: - Under the lock

/// All that an operation's lock guards, except the result.
@dynamicMemberLookup
struct GuardedValues {
    var request: URLRequest
    var response: URLResponse?
    /// Nil before the start.
    var times: OperationTimes?

    var sharedSettings = OperationSettings.initial
    var sharedBlocks = Blocks.none
    fileprivate var rare: Shared<RareValues>?

    var completion: Completion?
    /// The thread of every run, once the first was started.
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
        set { sharedSettings.value = newValue }
    }

    var blocks: Blocks {
        _read { yield sharedBlocks.value }
        set { sharedBlocks.value = newValue }
    }

    /// Removes the progress streams: who reads the original's progress must not get its copy's.
    mutating func dropStreams() {
        guard blocks.uploadStreams != nil || blocks.downloadStreams != nil else { return }
        blocks.uploadStreams = nil
        blocks.downloadStreams = nil
    }

    /// -1 is unknown.
    var expectedContentLength: Int64 { response?.expectedContentLength ?? -1 }

    /// For a caller, which may change it.
    var securityPolicy: SecurityPolicy {
        mutating get {
            let policy = settings.chosenPolicy ?? .default()
            settings.chosenPolicy = policy
            return policy
        }
    }

    var completionTarget: CompletionDelivery.Target {
        CompletionDelivery.Target(queue: settings.completionQueue, group: settings.completionGroup)
    }
}

/// Guarded values that few operations have. They are allocated when one is set, so that thousands of waiting operations
/// stay small.
struct RareValues {
    // nonisolated(unsafe) because it is constant.
    nonisolated(unsafe) static let none = RareValues()

    var responseString: String?
    var outputStream: OutputStream?
    /// Where it is set, the body goes here, and neither to memory nor to the output stream.
    var reader: BodyChannel?
    var userInfo: [AnyHashable: Any] = [:]
    /// The output stream that the run writes to, or wrote to before the pause.
    var streamInUse: OutputStream?
    /// The caller's request, after a pause has written a `Range` into `request`.
    var requestBeforePause: URLRequest?
    var resultOrder = ResultOrder()
    /// The error of `fail(with:)` while it was paused and not started; its start ends it with that.
    var failureBeforeStart: (any Error)?
    /// The operation itself, while the machine's `retainsItself` is true.
    var itself: Operation?
    /// Called once after the last completion, when the blocks are released.
    var deliveryHooks: [@Sendable () -> Void] = []
    /// Called once at the end, before it is announced.
    var finishHooks: [@Sendable () -> Void] = []
    var stateObserver: (@Sendable (StateAnnouncement) -> Void)?
}

/// A value that can be absent.
protocol Emptiable {
    var isNone: Bool { get }
}

extension Optional: Emptiable { var isNone: Bool { self == nil } }
extension Array: Emptiable { var isNone: Bool { isEmpty } }
extension Dictionary: Emptiable { var isNone: Bool { isEmpty } }
extension ResultOrder: Emptiable { var isNone: Bool { !isAsked } }

extension GuardedValues {
    /// A rare value. Setting nil, or an empty one, allocates nothing where no other is set. Inlined, so that no key path is
    /// resolved at run time.
    @inline(__always)
    subscript<Value: Emptiable>(dynamicMember path: WritableKeyPath<RareValues, Value>) -> Value {
        get {
            if let rare { return rare.value[keyPath: path] }
            return RareValues.none[keyPath: path]
        }
        set {
            if rare == nil, newValue.isNone { return }
            var values = rare?.value ?? RareValues()
            values[keyPath: path] = newValue
            rare = Shared(values)
        }
    }
}

/// A reference to a constant value that many share, so that it is read without a lock. Setting replaces this holder's
/// reference alone.
struct Shared<Value> {
    private final class Box: @unchecked Sendable {
        // @unchecked because it is constant, and its holders guard what the value refers to.
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var box: Box

    init(_ value: Value) {
        box = Box(value)
    }

    var value: Value {
        _read { yield box.value }
        set { box = Box(newValue) }
    }

    func isSame(as other: Shared) -> Bool { box === other.box }
}
