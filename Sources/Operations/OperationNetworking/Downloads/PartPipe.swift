import CLinux
import Foundation
import HTTPSemantics

/// Writes the bytes of a download into a pipe, in place of a file.
///
/// Written bytes cannot be taken back: a later try continues behind them, or fails. A full pipe delays this download
/// alone, whose connection is suspended.
///
/// ## Concurrency
/// Call from: the download's queue, which waits for the pipe. Lock: none. Calls out: none.
final class PartPipe: PartFile {
    /// So many bytes never block when `poll` reports a pipe as writable.
    private static let piece = 4_096

    private let output: Int32
    private let isFile: Bool

    /// - Parameter output: an open descriptor, which is not closed.
    init(_ output: Int32, _ place: DownloadPlace, address: String) {
        self.output = output
        isFile = cfile_status_of(output).is_regular == 1
        super.init(place, address: address)
        mayHaveRecord = false
    }

    override var mayStartOver: Bool { stored == 0 }

    override func startOver(_ record: DownloadRecord?, length: Int64?) throws {
        guard stored == 0 else {
            throw DownloadError.unusable(
                "The server begins again at the first byte, and \(stored) bytes have gone out already."
            )
        }
        try begin(record, length)
    }

    /// Waits until the pipe is writable or the download is cancelled.
    override func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws -> Int {
        while true {
            if isCancelled() { throw CancellationError() }
            var waiting = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&waiting, 1, 100)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            let length = isFile ? bytes.count : min(bytes.count, Self.piece)
            let count = Foundation.write(output, bytes.baseAddress, length)
            if count > 0 { return count }
            guard count < 0, errno == EINTR || errno == EAGAIN else {
                throw DownloadError.disk("write", "standard output")
            }
        }
    }

    override func publish(
        expected: String?, existing: ExistingFile?, mayReplace: Bool
    ) throws -> String {
        let digest = try digest()
        if let expected, expected != digest {
            throw DownloadError.wrongHash(expected: expected, received: digest)
        }
        return digest
    }
}
