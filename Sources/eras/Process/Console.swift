import Foundation
import Synchronization

/// Writes whole texts to standard output and standard error.
///
/// What standard error does not take is dropped: there is nobody to tell.
enum Console {
    private static let lostOutput = Atomic<Bool>(false)

    /// Whether something was not written to standard output; the process must not end well then.
    static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }

    /// Says once on standard error that it cannot be written.
    static func toOutput(_ text: String) {
        let code = write(text, to: STDOUT_FILENO)
        guard code != 0, !lostOutput.exchange(true, ordering: .relaxed) else { return }
        let error = DiskError(action: "write", path: "standard output", code: code)
        toError("eras: \(error)\n")
    }

    static func toError(_ text: String) {
        _ = write(text, to: STDERR_FILENO)
    }

    /// Whether text to standard error goes to a person who sees it move.
    static var isErrorATerminal: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    static var isInputATerminal: Bool {
        isatty(STDIN_FILENO) == 1
    }

    /// Columns and rows of the terminal at standard error; 80 by 24 where it does not say.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), max(Int(size.ws_row), 4))
    }

    /// - Returns: the error's number, or 0.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { return errno }
                rest = rest.dropFirst(count)
            }
            return 0
        }
    }
}
