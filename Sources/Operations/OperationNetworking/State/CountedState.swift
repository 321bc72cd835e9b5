/// An operation's state and how often it has changed, as one number: who sees the same one twice knows
/// that nothing happened in between.
enum CountedState {
    /// A state that is the first.
    static func first(_ state: OperationState) -> UInt32 { bits(of: state) }

    /// A state behind another; the count begins anew after 2^29.
    static func next(_ state: OperationState, after last: UInt32) -> UInt32 {
        (last & ~stateBits &+ one) | bits(of: state)
    }

    static func state(_ counted: UInt32) -> OperationState {
        OperationState(rawValue: Int(counted & stateBits) - 1) ?? .ready
    }

    private static let stateBits: UInt32 = 7
    private static let one: UInt32 = 8

    /// The cases' numbers are from -1 to 3.
    private static func bits(of state: OperationState) -> UInt32 { UInt32(state.rawValue + 1) }
}
