import HTTPSemantics

/// What a transfer needs of its transport.
///
/// `RunLoop` uses `Exchange`, where this protocol is, and not the other way round.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
protocol TransferDriver: AnyObject {
    /// When the drive under way began, for measurements.
    var now: UInt64 { get }
    /// When the drive before that began.
    var nowBefore: UInt64 { get }
    /// What limits go by.
    var clock: NetworkClock { get }
    /// When the drive under way began by that clock.
    var limitTime: UInt64 { get }
    /// What decoding may still cost in the drive under way, in all transfers together (`ContentDecoder.work`).
    var decodingLeft: Int { get set }
    /// Runs a job soon, in the transport's modes, and never inside this call.
    func later(_ job: @escaping () -> Void)

    /// Begins an exchange as soon as the limits allow. `couldNotBegin` tells where that fails.
    func add(_ transfer: Transfer)
    /// Removes an exchange. None of its callbacks reaches a delegate after this.
    func remove(_ transfer: Transfer)
    /// Takes an exchange's handle off libcurl. The exchange keeps its place among those in use.
    func setAside(_ transfer: Transfer)
    /// Gives libcurl an exchange again that was set aside.
    func takeUpAgain(_ transfer: Transfer)
    /// Has an exchange leave the line of those that wait for a connection, or libcurl and those that use
    /// one. Its time limits are still checked.
    func giveUpPlace(of transfer: Transfer)
    /// Has libcurl neither receive nor send for an exchange until it is unpaused.
    func pause(_ transfer: Transfer)
    /// Continues a transfer whose callbacks returned "pause".
    func unpause(_ transfer: Transfer, receiving: Bool)

    /// Looks a host up. `Transfer.found` gets the addresses, and never inside this call.
    func lookUp(_ host: String, for transfer: Transfer) -> HostResolver.Ticket
    /// Has `Transfer.reportIfSent` called in each drive, until it returns true.
    func watchSending(of transfer: Transfer)
    /// Has `Transfer.checkTimeouts` called at the transfer's `nextTimeoutCheck`, or earlier.
    func scheduleTimeoutCheck(of transfer: Transfer)
    /// Has `Transfer.poll` called when the transfer's pauses say, or earlier.
    func schedulePoll(of transfer: Transfer)
    /// Whether a connection was closed because its peer kept the thread busy (`CallWatch`).
    func wasCut(_ connection: UInt64) -> Bool
    /// The number of the connection that a socket is.
    func number(of socket: Int32) -> UInt64
    /// What has a paused exchange asked at once whether it may go on; from any thread.
    func waker(of transfer: Transfer) -> @Sendable () -> Void
    /// The socket of the transport's connection with these ends; nil where there is none.
    func socket(with ends: ConnectionEnds) -> Int32?
}
