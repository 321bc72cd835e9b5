public import Foundation

/// The reason a server did not start.
public enum LoopbackServerError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// Another socket listens on this port already.
    case addressInUse(port: UInt16)
    /// `start` was called on a server that runs.
    case alreadyRunning(port: UInt16)
    /// A system call failed; `code` is its `errno`.
    case system(call: String, code: Int32)

    /// One sentence that says what went wrong.
    public var description: String {
        switch self {
        case .addressInUse(let port):
            "Port \(port) on 127.0.0.1 is in use; stop what listens there or start with port 0."
        case .alreadyRunning(let port):
            "The server runs already, on port \(port)."
        case .system(let call, let code):
            "The system call \(call) failed: \(String(cString: strerror(code))) (errno \(code))."
        }
    }

    /// The same sentence, for `localizedDescription`.
    public var errorDescription: String? { description }
}
