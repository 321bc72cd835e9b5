import CFileStatus
import EventRecorder
package import Foundation

// Which streams may block the thread that calls them.

extension Stream {
    /// Whether a call may wait though the stream says that it is ready. Foundation's streams on Linux
    /// always say so, also of a pipe, a terminal or another device.
    ///
    /// False for memory, for regular files and folders, and for a class of the caller's, which says
    /// itself when it is ready. True where the file is not known.
    package var mayWait: Bool {
        guard let storage else {
            return type(of: self) == InputStream.self || type(of: self) == OutputStream.self
        }
        guard storage.contains("{<CFURL ") else {
            return !storage.contains("{<CFData ") && !storage.contains("{<CFWriteDataContext ")
        }
        guard let path = Self.path(in: storage) else { return true }
        let status = cfile_status_at(path)
        return status.failure == 0 && status.is_regular == 0 && status.is_directory == 0
    }

    /// CoreFoundation's description of the stream; nothing else has a stream's file.
    private var storage: String? {
        var mirror: Mirror? = Mirror(reflecting: self)
        while let level = mirror {
            for child in level.children where child.label?.hasPrefix("_stream") == true {
                return String(describing: child.value)
            }
            mirror = level.superclassMirror
        }
        return nil
    }

    /// The path of the absolute file URL in a description.
    private static func path(in storage: String) -> String? {
        guard let start = storage.range(of: "{string = ") else { return nil }
        let rest = storage[start.upperBound...]
        guard let end = rest.range(of: ", encoding = "),
            rest[end.upperBound...].contains("base = (null)"),
            let url = URL(string: String(rest[..<end.lowerBound])), url.isFileURL
        else { return nil }
        return url.path
    }
}

extension InputStream {
    /// Why it gives no more bytes. On Linux `streamError` stops the process where there is no error.
    var readingError: any Error {
        (streamStatus == .error ? streamError : nil)
            ?? URLError(
                .requestBodyStreamExhausted,
                described: [NSLocalizedDescriptionKey: "The body stream gives no more bytes."])
    }
}
