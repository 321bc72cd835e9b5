public import CurlConnection
public import FoundationNetworking
public import OperationNetworking

extension SecurityPolicy {
    /// What is compared with the pins.
    @available(*, deprecated, renamed: "pinningMode")
    public var sslPinningMode: PinningMode {
        pinningMode
    }

    /// Whether the chain is trusted; the host is not looked at.
    @available(*, deprecated, renamed: "evaluate(_:forDomain:)")
    public func evaluateServerTrust(_ trust: ServerTrust) -> Bool {
        evaluate(trust, forDomain: nil)
    }

    /// Whether the chain is trusted for the host.
    @available(*, deprecated, renamed: "evaluate(_:forDomain:)")
    public func evaluateServerTrust(_ trust: ServerTrust, forDomain domain: String?) -> Bool {
        evaluate(trust, forDomain: domain)
    }
}

extension URLProtectionSpace {
    /// The chain the server showed.
    @available(*, deprecated, renamed: "peerTrust")
    public var serverTrust: ServerTrust? {
        peerTrust
    }
}
