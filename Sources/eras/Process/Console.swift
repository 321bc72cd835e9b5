import Foundation
import Synchronization

/// Writes texts to standard output and standard error.
///
/// An error on standard error is ignored, because there is no other place to report it.
enum Console {
    private static let lostOutput = Atomic<Bool>(false)

    /// Whether a text was not written to standard output; the process must not end with 0 then.
    static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }

    /// Writes to standard output. The first failure is reported on standard error.
    static func toOutput(_ text: String) {
        toOutput(Data(text.utf8))
    }

    /// Writes bytes there.
    static func toOutput(_ bytes: Data) {
        let code = write(bytes, to: STDOUT_FILENO)
        guard code != 0, !lostOutput.exchange(true, ordering: .relaxed) else { return }
        let error = DiskError(action: "write", path: "standard output", code: code)
        toError("eras: \(error)\n")
    }

    static func toError(_ text: String) {
        _ = write(Data(text.utf8), to: STDERR_FILENO)
    }

    /// Whether standard error is a terminal on which lines can be redrawn.
    static var isErrorATerminal: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Whether standard output is a terminal on which headings can be bold.
    static var isOutputATerminal: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
            && environment["NO_COLOR", default: ""].isEmpty
    }

    static var isInputATerminal: Bool {
        isatty(STDIN_FILENO) == 1
    }

    /// Columns and rows of the terminal at standard error; 80 by 24 where they are unknown.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), max(Int(size.ws_row), 4))
    }

    /// - Returns: the error's number, or 0.
    private static func write(_ bytes: Data, to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { bytes in
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
