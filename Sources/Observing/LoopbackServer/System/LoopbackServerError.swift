public import Foundation

/// The reason a server did not start.
public enum LoopbackServerError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// Another socket listens on this port already.
    case addressInUse(port: UInt16)
    /// `start` was called on a running server.
    case alreadyRunning(port: UInt16)
    /// The address is not one of 127.0.0.0/8 in dotted decimal form.
    case notLoopback(address: String)
    /// OpenSSL refused a part of the TLS settings or of a certificate.
    case tls(String)
    /// A system call failed; `code` is its `errno`.
    case system(call: String, code: Int32)

    /// One sentence that says what went wrong.
    public var description: String {
        switch self {
        case .addressInUse(let port):
            "Port \(port) is in use; stop what listens there or start with port 0."
        case .alreadyRunning(let port):
            "The server runs already, on port \(port)."
        case .notLoopback(let address):
            "\(address) is no loopback address; use one from 127.0.0.1 to 127.255.255.254."
        case .tls(let part):
            "OpenSSL refused the TLS settings: \(part)."
        case .system(let call, let code):
            "The system call \(call) failed: \(String(cString: strerror(code))) (errno \(code))."
        }
    }

    /// The same sentence, for `localizedDescription`.
    public var errorDescription: String? { description }
}
