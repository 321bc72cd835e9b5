import Foundation
public import FoundationNetworking
public import HTTPSemantics
public import OperationNetworking

/// A class whose properties can also be used with the types that they had in AFNetworking 2, for old sources. If a
/// literal that fits both types is assigned, such as `["GET"]`, Swift chooses the property with the new type.
///
/// Other declarations for old sources are here too: key-value observing, and `URLCredential(trust:)`.
/// The properties are in a protocol, because in an extension of the class one property would hide the other.
public protocol OldTypes {}

extension HTTPRequestSerializer: OldTypes {}
extension HTTPResponseSerializer: OldTypes {}
extension SecurityPolicy: OldTypes {}
extension URLConnectionOperation: OldTypes {}
extension URLCredential: OldTypes {}

extension OldTypes where Self: NSObject {
    /// Ignored: there is no key-value observing on Linux.
    @available(*, deprecated, message: "has no meaning on Linux; delete the call")
    public func willChangeValue(forKey key: String) {}

    /// Ignored: there is no key-value observing on Linux.
    @available(*, deprecated, message: "has no meaning on Linux; delete the call")
    public func didChangeValue(forKey key: String) {}
}

extension OldTypes where Self: HTTPRequestSerializer {
    /// The encoding's raw value.
    @available(*, deprecated, message: "is a String.Encoding: leave out .rawValue")
    public var stringEncoding: UInt {
        get { (stringEncoding as String.Encoding).rawValue }
        nonmutating set { stringEncoding = String.Encoding(rawValue: newValue) }
    }

    /// The methods as a bridged set; members that are not text are ignored.
    @available(*, deprecated, message: "is used with its old type; use it as a Set<String>")
    public var httpMethodsEncodingParametersInURI: Set<AnyHashable> {
        get { httpMethodsEncodingParametersInURI as Set<String> }
        nonmutating set {
            httpMethodsEncodingParametersInURI = Set(newValue.compactMap { $0 as? String })
        }
    }
}

extension OldTypes where Self: HTTPResponseSerializer {
    /// The encoding's raw value.
    @available(*, deprecated, message: "is a String.Encoding: leave out .rawValue")
    public var stringEncoding: UInt {
        get { (stringEncoding as String.Encoding).rawValue }
        nonmutating set { stringEncoding = String.Encoding(rawValue: newValue) }
    }

    /// The types as a bridged set; members that are not text are ignored.
    @available(*, deprecated, message: "is used with its old type; use it as a Set<String>?")
    public var acceptableContentTypes: Set<AnyHashable>? {
        get { acceptableContentTypes as Set<String>? }
        nonmutating set {
            acceptableContentTypes = newValue.map { Set($0.compactMap { $0 as? String }) }
        }
    }
}

extension OldTypes where Self: SecurityPolicy {
    /// The pins as DER data; members that are no certificates are ignored.
    @available(*, deprecated, message: "is [Certificate]; make them with Certificate(der:)")
    public var pinnedCertificates: [Any]? {
        get { (pinnedCertificates as [Certificate]).map(\.der) }
        nonmutating set {
            let pins: [Certificate] = (newValue ?? []).compactMap {
                $0 as? Certificate ?? ($0 as? Data).flatMap { try? Certificate(der: $0) }
            }
            pinnedCertificates = pins
        }
    }
}

/// Like `OldTypes`, for the types that properties had in AFNetworking 3.x and 4.x, where these differ from 2.x.
public protocol LaterOldTypes {}

extension SecurityPolicy: LaterOldTypes {}

extension LaterOldTypes where Self: SecurityPolicy {
    /// The pins as a set of DER data, as in 3.x and 4.x; members that are no certificates are ignored.
    @_disfavoredOverload
    @available(*, deprecated, message: "is [Certificate]; make them with Certificate(der:)")
    public var pinnedCertificates: Set<Data>? {
        get { Set((pinnedCertificates as [Certificate]).map(\.der)) }
        nonmutating set {
            let pins: [Certificate] = (newValue ?? []).compactMap { try? Certificate(der: $0) }
            pinnedCertificates = pins
        }
    }
}

extension OldTypes where Self: URLConnectionOperation {
    /// The modes' raw values as a bridged set. A set that is assigned may contain raw values and `RunLoop.Mode`s; other
    /// members are ignored.
    @available(*, deprecated, message: "is used with its old type; use it as a Set<RunLoop.Mode>")
    public var runLoopModes: Set<AnyHashable> {
        get { Set((runLoopModes as Set<RunLoop.Mode>).map(\.rawValue)) }
        nonmutating set {
            runLoopModes = Set(
                newValue.compactMap {
                    $0 as? RunLoop.Mode ?? ($0 as? String).map(RunLoop.Mode.init(rawValue:))
                })
        }
    }

    /// The encoding's raw value; 0 before a response.
    @available(*, deprecated, message: "is a String.Encoding?, nil before a response")
    public var responseStringEncoding: UInt {
        (responseStringEncoding as String.Encoding?)?.rawValue ?? 0
    }
}

extension OldTypes where Self == URLCredential {
    /// A credential that accepts a server's certificate chain.
    ///
    /// The initializer is in a protocol's extension, since only there can an initializer make an instance of a
    /// subclass. Module Alamofire has the same initializer; a file that imports both modules gets Alamofire's.
    @_disfavoredOverload
    @available(*, deprecated, message: "use PeerTrustCredential(peerTrust:)")
    public init(trust: ServerTrust) {
        self = PeerTrustCredential(peerTrust: trust)
    }
}
