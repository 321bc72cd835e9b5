public import Foundation
public import FoundationNetworking
public import HTTPSemantics
public import OperationNetworking

extension SecurityPolicy {
    /// The default policy, written `AFSecurityPolicy()`. Without the parameter it would override `NSObject`'s
    /// initializer.
    @available(*, deprecated, renamed: "SecurityPolicy.default()")
    public convenience init(_ nothing: Void = ()) {
        self.init(pinningMode: .none)
    }

    /// Makes a policy with pins as DER data, as in 3.x and 4.x; members that are no certificates are ignored.
    ///
    /// If no pin is left and the mode requires one, every server is refused.
    @available(*, deprecated, renamed: "init(pinningMode:pinnedCertificates:)")
    public convenience init(
        pinningMode: PinningMode, withPinnedCertificates pinnedCertificates: Set<Data>
    ) {
        self.init(
            pinningMode: pinningMode,
            pinnedCertificates: pinnedCertificates.compactMap { try? Certificate(der: $0) })
    }

    /// The certificates of a bundle as DER data, as in 3.x and 4.x; empty if they cannot be read.
    @_disfavoredOverload
    @available(*, deprecated, message: "is [Certificate], and throws if one cannot be read")
    public static func certificates(in bundle: Bundle) -> Set<Data> {
        let certificates: [Certificate]? = try? certificates(in: bundle)
        return Set((certificates ?? []).map(\.der))
    }

    /// What is compared with the pins.
    @available(*, deprecated, renamed: "pinningMode")
    public var sslPinningMode: PinningMode {
        pinningMode
    }

    /// Whether the chain is trusted, without a check of the host.
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
    /// The certificate chain that the server sent.
    ///
    /// Module Alamofire has it too, which is preferred if a program links both.
    @_disfavoredOverload
    @available(*, deprecated, renamed: "peerTrust")
    public var serverTrust: ServerTrust? {
        peerTrust
    }
}
