import Scheduling

/// How many exchanges of one thread and one set of modes may use connections at once, and who counts.
struct ConnectionLimits: Hashable {
    /// To one scheme, host and port; at least 1.
    var perHost = 6
    /// To all; at least 1.
    var total = 256
    /// The session whose exchanges alone count for `perHost`; nil: those that no session has count together.
    var owner: ObjectIdentifier?
    var priority = TransferPriority.normal
}
