import CurlConnection
import EventRecorder
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

/// What a caller's blocks an operation holds.
struct Blocks {
    typealias Progress = @Sendable (Int64, Int64, Int64) -> Void
    typealias Metrics = @Sendable (RequestMetrics) -> Void

    // The end drops these: they only report.
    var uploadProgress: Progress?
    var downloadProgress: Progress?
    // Tasks', which get it at once, on the network thread.
    var uploadStreams: ProgressStreams?
    var downloadStreams: ProgressStreams?
    var metrics: Metrics?
    var retry: (@Sendable (RetryDecision) -> Void)?
    // What decides stays as long as the operation: a copy made after the end must be no laxer.
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

/// What follows the end of an operation.
enum Completion {
    /// The caller's block.
    case block(@Sendable () -> Void)
    /// This package's own block for success and failure. It gets the operation, because a weak reference
    /// would make every other one to it slow.
    case result(@Sendable (Operation) -> Void)
}

/// What an operation ended with.
struct OperationResult {
    var error: (any Error)?
    var responseData: Data?
}

/// What a manager asks of its operations' results; nothing at first, as in the original (CB-3).
struct ResultOrder: Sendable {
    /// Completions go through it one after another; nil lets them overtake each other.
    var queue: DispatchQueue?
    /// Whether the object is made before the end is announced.
    var isObjectFirst = false

    var isAsked: Bool { queue != nil || isObjectFirst }

    /// Its threads are not of Dispatch's default pool, which callers can fill.
    static func makeQueue() -> DispatchQueue {
        DispatchQueue(
            label: "com.alamofire.networking.http-request.ordered", qos: .userInteractive)
    }
}

/// The times of an operation: of the runs that have ended, and what came before and after.
///
/// Made at the start, outside of the operation: thousands may wait.
///
/// ## Concurrency
/// Call from: any thread. Lock: the operation's.
final class OperationTimes {
    /// Unchecked for speed: no method of it calls out.
    @exclusivity(unchecked)
    var metrics = RequestMetrics()
}

// MARK: - Under the lock

/// Everything of an operation that its lock guards, but its result, as one value.
struct GuardedValues {
    var request: URLRequest
    /// The latest response.
    var response: URLResponse?
    /// Nil before the start.
    var times: OperationTimes?

    var sharedSettings = OperationSettings.initial
    var sharedBlocks = Blocks.none
    /// Nil where it has none of them.
    fileprivate var rare: Shared<RareValues>?

    var completion: Completion?
    /// The thread of every run, once the first was started.
    var runThread: NetworkThread?
    /// Has work, and is to be woken once the lock is free.
    var threadToWake: NetworkThread?
    var machine = OperationMachine()
    /// The request's method and address, once a recording has seen the operation; a text of that one.
    var traceName = EventText.none
    /// Whether one has seen it begin.
    var hasBegun = false

    init(request: URLRequest) {
        self.request = request
    }

    /// Names the request for a recording, best when it has just been made and is at hand.
    mutating func name() {
        guard EventRecorder.isRecording,
            traceName.isNone || !traceName.isOf(EventRecorder.recording)
        else { return }
        traceName = EventText(method: request.httpMethod, url: request.url)
    }

    /// The request is another one.
    mutating func nameAgain() {
        guard EventRecorder.isRecording, !traceName.isNone else { return }
        traceName = EventText(method: request.httpMethod, url: request.url)
    }

    var settings: OperationSettings {
        get { sharedSettings.value }
        set { sharedSettings.value = newValue }
    }

    var blocks: Blocks {
        get { sharedBlocks.value }
        set { sharedBlocks.value = newValue }
    }

    /// Who reads the progress of an operation does not read that of its copy.
    mutating func dropStreams() {
        guard blocks.uploadStreams != nil || blocks.downloadStreams != nil else { return }
        blocks.uploadStreams = nil
        blocks.downloadStreams = nil
    }

    /// What the latest response announces; -1 is unknown.
    var expectedContentLength: Int64 { response?.expectedContentLength ?? -1 }

    /// The policy for a caller, who may change it.
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

/// What few operations have of what the lock guards: most that wait have none of it, and thousands may wait.
private struct RareValues {
    var responseString: String?
    var outputStream: OutputStream?
    /// Where the body goes in place of memory or the stream.
    var reader: BodyChannel?
    var userInfo: [AnyHashable: Any] = [:]
    /// The stream that a run writes to, or paused while writing to.
    var streamInUse: OutputStream?
    /// The caller's request, once a pause has written the range of the rest into `request`.
    var requestBeforePause: URLRequest?
    /// What its manager asked of results.
    var resultOrder = ResultOrder()
    /// Why it failed while it was paused, before it was started.
    var failureBeforeStart: (any Error)?
    /// The operation itself, where the machine says so.
    var itself: Operation?
    /// Called once after the last completion, when the blocks are released.
    var deliveryHooks: [@Sendable () -> Void] = []
    /// Called once with the end, under the lock.
    var finishHooks: [@Sendable () -> Void] = []
    var stateObserver: (@Sendable (StateAnnouncement) -> Void)?
}

// Setting "none" makes no memory for an operation that has none of them.
extension GuardedValues {
    var responseString: String? {
        get { rare?.value.responseString }
        set { if rare != nil || newValue != nil { madeRare.responseString = newValue } }
    }

    var outputStream: OutputStream? {
        get { rare?.value.outputStream }
        set { if rare != nil || newValue != nil { madeRare.outputStream = newValue } }
    }

    var reader: BodyChannel? {
        get { rare?.value.reader }
        set { if rare != nil || newValue != nil { madeRare.reader = newValue } }
    }

    var userInfo: [AnyHashable: Any] {
        get { rare?.value.userInfo ?? [:] }
        set { if rare != nil || !newValue.isEmpty { madeRare.userInfo = newValue } }
    }

    var streamInUse: OutputStream? {
        get { rare?.value.streamInUse }
        set { if rare != nil || newValue != nil { madeRare.streamInUse = newValue } }
    }

    var requestBeforePause: URLRequest? {
        get { rare?.value.requestBeforePause }
        set { if rare != nil || newValue != nil { madeRare.requestBeforePause = newValue } }
    }

    var resultOrder: ResultOrder {
        get { rare?.value.resultOrder ?? ResultOrder() }
        set { if rare != nil || newValue.isAsked { madeRare.resultOrder = newValue } }
    }

    var failureBeforeStart: (any Error)? {
        get { rare?.value.failureBeforeStart }
        set { if rare != nil || newValue != nil { madeRare.failureBeforeStart = newValue } }
    }

    var itself: Operation? {
        get { rare?.value.itself }
        set { if rare != nil || newValue != nil { madeRare.itself = newValue } }
    }

    var deliveryHooks: [@Sendable () -> Void] {
        get { rare?.value.deliveryHooks ?? [] }
        set { if rare != nil || !newValue.isEmpty { madeRare.deliveryHooks = newValue } }
    }

    var finishHooks: [@Sendable () -> Void] {
        get { rare?.value.finishHooks ?? [] }
        set { if rare != nil || !newValue.isEmpty { madeRare.finishHooks = newValue } }
    }

    var stateObserver: (@Sendable (StateAnnouncement) -> Void)? {
        get { rare?.value.stateObserver }
        set { if rare != nil || newValue != nil { madeRare.stateObserver = newValue } }
    }

    private var madeRare: RareValues {
        get { rare?.value ?? RareValues() }
        set { rare = Shared(newValue) }
    }
}

/// A value outside of its holders, so that many share one; a holder that changes it gets its own copy.
///
/// The shared value never changes, so holders need no lock.
struct Shared<Value> {
    private final class Box: @unchecked Sendable {
        // @unchecked because it is constant; the value's parts are as safe as its holders say.
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
        get { box.value }
        set { box = Box(newValue) }
    }

    func isSame(as other: Shared) -> Bool { box === other.box }
}
