import CLinux
import Foundation
import Synchronization

/// Writes texts to standard output and standard error.
///
/// An error on standard error is ignored, because it cannot be reported anywhere.
enum Console {
    private static let lostOutput = Atomic<Bool>(false)
    private static let givesUp = Atomic<Bool>(false)
    /// What a writable pipe takes without blocking (PIPE_BUF).
    private static let piece = 4_096

    /// Whether a text could not be written to standard output; then the process must not exit with 0.
    static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }

    /// The exit code for lost output; nil where all was written.
    static var lossCode: ExitCode? {
        hasLostOutput ? (givesUp.load(ordering: .relaxed) ? .interrupted : .disk) : nil
    }

    /// Writes to standard output. The first failure is reported on standard error.
    static func toOutput(_ text: String) {
        toOutput(Data(text.utf8))
    }

    /// Writes bytes to standard output.
    ///
    /// - Returns: whether all were written.
    @discardableResult
    static func toOutput(_ bytes: Data) -> Bool {
        let code = write(bytes, to: STDOUT_FILENO)
        if code != 0 {
            loseOutput(DiskError(action: "write", path: "standard output", code: code))
        }
        return code == 0
    }

    /// Reports that output is missing, the first time.
    static func loseOutput(_ error: DiskError) {
        let isFirst = !lostOutput.exchange(true, ordering: .relaxed)
        if isFirst, error.code != ECANCELED { complain(error.description) }
    }

    /// From now on a write does not wait for a slow reader, and fails instead.
    static func giveUpWaiting() {
        givesUp.store(true, ordering: .relaxed)
    }

    /// Opens `/dev/null` where standard input, output or error is closed, so that no other file gets
    /// the descriptor. Reading or writing there fails.
    static func fillDescriptors() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(number, F_GETFD) < 0 {
            // `open` returns the lowest free descriptor, which is this one.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Ignores SIGPIPE: after the end of a reader a write fails, and the process continues.
    static func outliveReaders() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes a line that begins with the program's name, without control characters.
    ///
    /// - Parameter hint: a line that follows.
    static func complain(_ sentence: String, hint: String? = nil) {
        let lines = ["eras: " + sentence, hint].compactMap { $0 }.map(PrintableText.line)
        toError(lines.map { $0 + "\n" }.joined())
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
        // `struct winsize`: rows, columns, and both in pixels. Its type is ambiguous on Linux.
        var size: [UInt16] = [0, 0, 0, 0]
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size[1] > 0 else {
            return (80, 24)
        }
        return (Int(size[1]), max(Int(size[0]), 4))
    }

    /// Writes all bytes, and waits also if the descriptor is non-blocking.
    ///
    /// - Returns: an error number, or 0; ECANCELED after `giveUpWaiting`.
    private static func write(_ bytes: Data, to descriptor: Int32) -> Int32 {
        let most = cfile_status_of(descriptor).is_regular == 1 ? Int.max : piece
        return bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                let ready = poll(&place, 1, 100)
                if ready == 0, givesUp.load(ordering: .relaxed) { return ECANCELED }
                if ready == 0 || (ready < 0 && errno == EINTR) { continue }
                let next = UnsafeRawBufferPointer(rebasing: rest.prefix(most))
                let count = Foundation.write(descriptor, next.baseAddress, next.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { return errno }
                rest = rest.dropFirst(count)
            }
            return 0
        }
    }
}
