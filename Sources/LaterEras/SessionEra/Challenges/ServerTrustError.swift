import Foundation
import FoundationNetworking
import HTTPSemantics

/// Pure: the error of a server that the policy refused, with AFNetworking's code, sentence and keys
/// (UM-19).
enum ServerTrustError {
    /// - Parameters:
    ///   - trust: the server's, under `NSURLErrorFailingURLPeerTrustErrorKey`.
    ///   - url: under `NSURLErrorFailingURLErrorKey`, and as a text under the key of its old form.
    ///   - beneath: why it was refused.
    static func error(
        _ trust: ServerTrust?, _ url: URL?, beneath: (any Error)? = nil
    ) -> URLError {
        let name = url?.host() ?? trust?.host ?? ""
        var info: [String: Any] = [
            NSLocalizedDescriptionKey:
                "The certificate for this server is invalid. You might be connecting to a server "
                + "that is pretending to be \u{201C}\(name)\u{201D} which could put your "
                + "confidential information at risk."
        ]
        info[NSURLErrorFailingURLPeerTrustErrorKey] = trust
        info[NSURLErrorFailingURLErrorKey] = url
        info["NSErrorFailingURLStringKey"] = url?.absoluteString
        info[NSUnderlyingErrorKey] = beneath
        return URLError(.serverCertificateUntrusted, described: info)
    }
}
