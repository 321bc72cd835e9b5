import Foundation

/// Writes whole texts to standard output and standard error.
///
/// What cannot be written is dropped: there is nobody to tell.
enum Console {
    static func toOutput(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    static func toError(_ text: String) {
        write(text, to: STDERR_FILENO)
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

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
