public import OperationNetworking

extension NetworkReachabilityManager {
    /// The manager of the connection to the internet.
    @_disfavoredOverload
    @available(*, deprecated, message: "is a property: leave out the parentheses")
    public class func shared() -> NetworkReachabilityManager {
        shared
    }

    /// Makes a manager for a host; it reports nothing before `startMonitoring`.
    @available(*, deprecated, renamed: "init(domain:)")
    public convenience init(forDomain domain: String) {
        self.init(domain: domain)
    }

    /// Makes a manager for a socket address; it reports nothing before `startMonitoring`.
    @available(*, deprecated, renamed: "init(address:)")
    public convenience init(forAddress address: UnsafeRawPointer) {
        self.init(address: address)
    }

    /// The last status.
    @available(*, deprecated, renamed: "status")
    public var networkReachabilityStatus: NetworkReachabilityStatus {
        status
    }

    /// Sets the block that is called with the status, on main.
    @available(*, deprecated, renamed: "setReachabilityStatusChangeBlock(_:)")
    @preconcurrency
    public func setReachabilityStatusChange(
        _ block: (@Sendable (NetworkReachabilityStatus) -> Void)?
    ) {
        setReachabilityStatusChangeBlock(block)
    }
}

/// The status as text.
@available(*, deprecated, renamed: "NetworkReachabilityStatus.localizedDescription")
public func AFStringFromNetworkReachabilityStatus(_ status: NetworkReachabilityStatus) -> String {
    status.localizedDescription
}
