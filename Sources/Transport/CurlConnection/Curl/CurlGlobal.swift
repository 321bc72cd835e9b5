import CCurl
import COpenSSL
import Foundation
import Locking

/// libcurl's process-wide state: initialised once, asked for its version, and closed safely at
/// exit.
///
/// ## Concurrency
/// Call from: any thread. Lock: none.
enum CurlGlobal {
    /// Initialises libcurl on first use; every owner of a handle touches this first.
    ///
    /// A thread inside TLS crashes the process when OpenSSL frees its tables at exit, so OpenSSL is set to
    /// keep them. That is too late where other code called OpenSSL before; so `ExitGate` is registered
    /// to close before OpenSSL frees its tables: what is registered for the exit last runs first.
    static let isReady: Bool = {
        copenssl_stay_through_exit()
        ExitGate.closeAtExit()
        let isReady = curl_global_init(ccurl_global_all) == CURLE_OK
        ExitGate.closeAtExit()
        return isReady
    }()

    /// Whether libcurl 8 is used.
    static let isVersion8 = ccurl_version().map { $0.pointee.version_num >= 0x08_00_00 } ?? false

    /// The version of libcurl, such as "7.88.1".
    static var version: String {
        ccurl_version().map { String(cString: $0.pointee.version) } ?? "unknown"
    }

    /// Whether libcurl counts a request's body in its size, as 8.7 and later do.
    static let countsBodiesInRequests =
        ccurl_version().map { $0.pointee.version_num >= 0x08_07_00 } ?? false

    /// Whether this libcurl can authenticate by NTLM.
    static var hasNTLM: Bool { hasFeature(CURL_VERSION_NTLM) }

    /// Whether this libcurl can authenticate by Negotiate.
    static var hasNegotiate: Bool { hasFeature(CURL_VERSION_SPNEGO) }

    private static func hasFeature(_ bit: Int32) -> Bool {
        ccurl_version().map { $0.pointee.features & bit != 0 } ?? false
    }

    /// Runs `body` unless the process is exiting; the exit waits at most two seconds for the threads inside.
    @discardableResult
    static func whileOpen<Result>(_ body: () -> Result) -> Result? {
        ExitGate.whileOpen(body)
    }
}
