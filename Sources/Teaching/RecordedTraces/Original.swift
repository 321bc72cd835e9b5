import CTraces

/// An original library whose run was recorded.
package enum Original: String, CaseIterable, Sendable {
    case afnetworking = "AFNetworking 2.6.3"
    case alamofire = "Alamofire 4.9.1"

    /// Its recordings, as JSON.
    package var recordings: String {
        switch self {
        case .afnetworking: String(cString: ctraces_get_afnetworking())
        case .alamofire: String(cString: ctraces_get_alamofire())
        }
    }

    /// What this package did in the same scenarios: a JSON list of `PortTrace`.
    package var portTraces: String {
        switch self {
        case .afnetworking: String(cString: ctraces_get_port_of_afnetworking())
        case .alamofire: String(cString: ctraces_get_port_of_alamofire())
        }
    }

    /// The name of the recordings' file in `folder`.
    package var file: String {
        switch self {
        case .afnetworking: "lifecycle-traces.json"
        case .alamofire: "request-lifecycle.json"
        }
    }

    /// Relative to the package's folder.
    package static let folder = "Sources/Foundations/CTraces/Golden"
}
