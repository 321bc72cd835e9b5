import Foundation
import FoundationNetworking

/// What few operations have of what the lock guards: most that wait have none of it, and thousands may wait.
struct RareState {
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
    /// The operation itself, while it is paused and must tell.
    var itself: Operation?
    /// Called once after the last completion; then `isDelivered`.
    var deliveryHooks: [@Sendable () -> Void] = []
    /// Called once with the end, under the lock.
    var finishHooks: [@Sendable () -> Void] = []
    var stateObserver: (@Sendable (StateAnnouncement) -> Void)?
}

// Setting "none" makes no memory for an operation that has none of them.
extension LockedState {
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

    private var madeRare: RareState {
        get { rare?.value ?? RareState() }
        set { rare = Shared(newValue) }
    }
}
