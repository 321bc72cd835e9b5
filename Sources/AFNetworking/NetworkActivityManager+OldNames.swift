public import OperationNetworking

extension NetworkActivityManager {
    /// The manager of the whole process.
    @_disfavoredOverload
    @available(*, deprecated, message: "is a property: leave out the parentheses")
    public static func shared() -> NetworkActivityManager {
        shared
    }
}
