public import OperationNetworking

extension NetworkActivityManager {
    /// The manager of the whole process.
    @_disfavoredOverload
    @available(*, deprecated, message: "is a property: leave out the parentheses")
    public static func shared() -> NetworkActivityManager {
        shared
    }

    /// Sets the block that shows or hides the indicator, on main.
    @available(*, deprecated, renamed: "setVisibilityChangeBlock(_:)")
    @preconcurrency
    public func setNetworkingActivityActionWith(_ block: (@Sendable (Bool) -> Void)?) {
        setVisibilityChangeBlock(block)
    }
}
