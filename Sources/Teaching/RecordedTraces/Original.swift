import CTraces

/// A library that was recorded while it ran.
package enum Original: String, CaseIterable, Sendable {
    case afnetworking = "AFNetworking 2.6.3"
    case alamofire = "Alamofire 4.9.1"

    /// Its recordings, JSON.
    package var recordings: String {
        switch self {
        case .afnetworking: String(cString: ctraces_get_afnetworking())
        case .alamofire: String(cString: ctraces_get_alamofire())
        }
    }

    /// What this package did in the same scenarios, JSON: a list of `PortTrace`.
    package var portTraces: String {
        switch self {
        case .afnetworking: String(cString: ctraces_get_port_of_afnetworking())
        case .alamofire: String(cString: ctraces_get_port_of_alamofire())
        }
    }

    /// The recordings' file, in `folder`.
    package var file: String {
        switch self {
        case .afnetworking: "lifecycle-traces.json"
        case .alamofire: "request-lifecycle.json"
        }
    }

    /// From the package's folder on.
    package static let folder = "Sources/Foundations/CTraces/Golden"
}
