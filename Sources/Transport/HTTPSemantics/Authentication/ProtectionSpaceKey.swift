package import FoundationNetworking

/// A protection space that compares by value; on Linux Foundation's equals only itself.
package struct ProtectionSpaceKey: Hashable, Sendable {
    let isProxy: Bool
    /// The scheme in lower case, or the proxy's type.
    let type: String?
    let host: String
    let port: Int
    let realm: String?
    let method: String

    package init(_ space: URLProtectionSpace) {
        isProxy = space.isProxy()
        type = isProxy ? space.proxyType : space.protocol?.lowercased()
        host = space.host.lowercased()
        port = space.port
        realm = space.realm
        method = space.authenticationMethod
    }
}
