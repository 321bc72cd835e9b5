import EventRecorder
import Foundation
import FoundationNetworking

/// What follows the end of an operation.
enum Completion {
    /// The caller's block.
    case block(@Sendable () -> Void)
    /// This package's own block for success and failure. It gets the operation, because a weak reference
    /// would make every other one to it slow.
    case result(@Sendable (Operation) -> Void)
}

/// Everything of an operation that its lock guards, but its result, as one value.
struct LockedState {
    var request: URLRequest
    /// The latest response.
    var response: URLResponse?
    /// Nil before the start.
    var times: OperationTimes?

    var sharedSettings = OperationSettings.initial
    var sharedBlocks = Blocks.none
    /// What few operations have; `RareState` says what.
    var rare: Shared<RareState>?

    var completion: Completion?
    /// The thread of every run, once the first was started.
    var runThread: NetworkThread?
    /// Has work, and is to be woken once the lock is free.
    var threadToWake: NetworkThread?
    // The small ones stand together, so that they take less memory.

    var circumstances = OperationState.Circumstances()
    var notifications = NotificationBalance()
    /// Counts the runs, so that work handed on for one never touches the next.
    var run: Int32 = 0
    /// Completions that are under way to the caller; the blocks stay until the last has run.
    var completionsUnderWay: Int32 = 0
    /// Whether the object is being made before the end.
    var isMakingObject = false
    /// Whether the hooks for the delivery were called.
    var isDelivered = false
    /// Whether the completion is to tell success or failure, for which the operation waits.
    var mustTell = false
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
