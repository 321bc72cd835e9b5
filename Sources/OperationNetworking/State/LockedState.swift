import EventRecorder
import Foundation
import FoundationNetworking

/// Everything of an operation that its lock guards, but its result, as one value.
struct LockedState {
    var request: URLRequest
    /// The latest response.
    var response: URLResponse?
    var responseString: String?
    /// Nil before the start.
    var times: OperationTimes?

    var sharedSettings = OperationSettings.initial
    var sharedBlocks = Blocks.none
    var outputStream: OutputStream?
    var userInfo: [AnyHashable: Any] = [:]

    var circumstances = OperationState.Circumstances()
    var notifications = NotificationBalance()
    /// Counts the runs, so that work handed on for one never touches the next.
    var run = 0
    /// The stream that a run writes to, or paused while writing to.
    var streamInUse: OutputStream?
    /// The caller's request, once a pause has written the range of the rest into `request`.
    var requestBeforePause: URLRequest?
    /// The caller's block, or this package's own that calls it.
    var completion: (@Sendable () -> Void)?
    /// Then a recording sees only what it calls.
    var isCompletionOurs = false
    /// Completions that are under way to the caller; the blocks stay until the last has run.
    var completionsUnderWay = 0
    /// Called once after the last completion; then `isDelivered`.
    var deliveryHooks: [@Sendable () -> Void] = []
    var isDelivered = false
    /// The thread of every run, once the first was started.
    var runThread: NetworkThread?
    /// Has work, and is to be woken once the lock is free.
    var threadToWake: NetworkThread?
    /// Whether the completion is to tell success or failure, for which the operation waits.
    var mustTell = false
    /// The operation itself, while it is paused and must tell.
    var itself: Operation?
    /// Called once with the end, under the lock.
    var finishHooks: [@Sendable () -> Void] = []
    var stateObserver: (@Sendable (StateAnnouncement) -> Void)?
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
